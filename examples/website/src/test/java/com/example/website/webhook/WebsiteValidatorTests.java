package com.example.website.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.website.Website;
import io.controllermanager.test.Admissions;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.Verdict.Reason;
import io.controllermanager.webhook.Verdict.Refusal;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;

/** What the validator says of a new Website. */
class WebsiteValidatorTests {

    private final Admissions<Website, Verdict> admissions =
            Admissions.of(new WebsiteValidator()).with(website("first", "a.example.com"));

    @Test
    void aHostThatIsFreeIsTaken() {
        assertThat(admissions.create(website("second", "b.example.com")).isAllowed())
                .isTrue();
    }

    @Test
    void aHostThatIsTakenIsRefused() {
        assertThat(admissions.create(website("second", "a.example.com")).refusals())
                .containsExactly(new Refusal(
                        Reason.INVALID, "spec.host", "a.example.com", "the host belongs to Website default/first"));
    }

    private static Website website(String name, String host) {
        Website website = new Website();
        website.setMetadata(new V1ObjectMeta().namespace("default").name(name));
        website.setSpec(new Website.Spec(host, "<h1>Hello</h1>", 2, null));
        return website;
    }
}
