package com.example.website.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.example.website.Website;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.reconciler.Conditions;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** The API server asks the application, which registers itself as soon as it has started. */
@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
@EmbeddedApiServer(manifests = "config/crd/*.yaml", world = true)
class WebsiteWebhookTests {

    @Autowired
    private ApiServer server;

    private ResourceClient<Website> websites;
    private ResourceClient<WebsiteV1Beta1> betas;
    private String namespace;
    private String host;

    @BeforeEach
    void prepare() throws ApiException {
        websites = new ResourceClient<>(server.client(), ResourceType.of(Website.class));
        betas = new ResourceClient<>(server.client(), ResourceType.of(WebsiteV1Beta1.class));
        namespace = server.createNamespace("test");
        host = namespace + ".example.com";
    }

    @Test
    void bothVersionsShowTheSameWebsite() throws ApiException {
        WebsiteV1Beta1 beta = new WebsiteV1Beta1();
        beta.setMetadata(new V1ObjectMeta().namespace(namespace).name("hello"));
        beta.setSpec(new WebsiteV1Beta1.Spec(host, "<h1>Hello</h1>", 2, null));
        betas.create(beta);

        assertThat(websites.get(namespace, "hello").spec().html()).isEqualTo("<h1>Hello</h1>");

        websites.patch(namespace, "hello", new Patch.Merge("{\"spec\": {\"html\": \"<h1>Bye</h1>\"}}"));

        assertThat(betas.get(namespace, "hello").spec().page()).isEqualTo("<h1>Bye</h1>");
    }

    @Test
    void aHostThatIsTakenIsRefused() throws ApiException {
        websites.create(website("first"));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> Conditions.of(websites.get(namespace, "first"), "Ready") != null);

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThatThrownBy(() -> websites.create(website(null)))
                        .hasMessageContaining(
                                "spec.host: Invalid value: \"" + host + "\": the host belongs to Website " + namespace));
    }

    private Website website(@Nullable String name) {
        Website website = new Website();
        website.setMetadata(new V1ObjectMeta().namespace(namespace).name(name).generateName("other-"));
        website.setSpec(new Website.Spec(host, "<h1>Hello</h1>", 2, null));
        return website;
    }
}
