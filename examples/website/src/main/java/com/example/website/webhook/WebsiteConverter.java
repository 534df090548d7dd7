package com.example.website.webhook;

import com.example.website.Website;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import org.springframework.stereotype.Component;

/** What v1beta1 calls page, v1 calls html. */
@Component
@ConversionWebhook(value = WebsiteV1Beta1.class, hub = Website.class)
class WebsiteConverter implements Converter<WebsiteV1Beta1, Website> {

    @Override
    public Website toHub(WebsiteV1Beta1 beta) {
        WebsiteV1Beta1.Spec spec = beta.spec();
        Website website = new Website();
        website.setSpec(new Website.Spec(spec.host(), spec.page(), spec.replicas(), spec.tlsSecretName()));
        website.setStatus(beta.status());
        return website;
    }

    @Override
    public WebsiteV1Beta1 fromHub(Website website) {
        Website.Spec spec = website.spec();
        WebsiteV1Beta1 beta = new WebsiteV1Beta1();
        beta.setSpec(new WebsiteV1Beta1.Spec(spec.host(), spec.html(), spec.replicas(), spec.tlsSecretName()));
        beta.setStatus(website.status());
        return beta;
    }
}
