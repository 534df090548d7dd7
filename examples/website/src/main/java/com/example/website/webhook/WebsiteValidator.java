package com.example.website.webhook;

import com.example.website.Website;
import io.controllermanager.client.ResourceType;
import io.controllermanager.reconciler.Index;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.WebhookDescription;
import org.springframework.stereotype.Component;

/**
 * Refuses a Website whose host another one has. Its cache may lag, so that of two that are created at once both may pass: then the
 * reconciler blocks the second.
 */
@Component
@ValidatingWebhook(Website.class)
class WebsiteValidator implements Validator<Website> {

    private static final Index<Website> HOST =
            Index.of("host", website -> website.spec().host());

    @Override
    public void describe(WebhookDescription d) {
        d.reads(ResourceType.of(Website.class), HOST);
    }

    @Override
    public Verdict create(Website website, Admission<Website> admission) {
        String host = website.spec().host();
        return admission.find(HOST, host).stream()
                .findFirst()
                .map(holder -> Verdict.allowed().invalid("spec.host", host, "the host belongs to " + holder))
                .orElseGet(Verdict::allowed);
    }
}
