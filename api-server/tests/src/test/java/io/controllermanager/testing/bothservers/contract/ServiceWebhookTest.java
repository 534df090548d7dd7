package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.ApiServer;
import java.net.URI;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Webhooks that are named by a Service, of which the embedded server has no network. */
class ServiceWebhookTest {

    private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

    private final ApiServer server = ApiServer.start();
    private final Api api = new Api(server.client());

    @AfterEach
    void stop() {
        server.close();
    }

    private void register() {
        api.create(
                        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                        json("""
                        {'metadata':{'name':'v'},'webhooks':[{'name':'v.example.com','sideEffects':'None',
                          'admissionReviewVersions':['v1'],
                          'clientConfig':{'service':{'name':'hooks','namespace':'default','path':'/v'},'caBundle':'%s'},
                          'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps'],'operations':['*']}]}]}""", TestWebhook.caBundle()))
                .ok();
    }

    private Reply create() {
        return api.create(CONFIG_MAPS, Contract.newConfigMap("a"));
    }

    @Test
    void isWhereTheTestSays() {
        register();
        try (TestWebhook webhook = new TestWebhook(TestWebhook.allows(), "hooks.default.svc")) {
            server.serviceAt("default", "hooks", URI.create("https://localhost:" + webhook.port()));
            create().ok();
            assertThat(webhook.requests()).hasSize(1);
        }
    }

    @Test
    void hasTheServicesNameInItsCertificate() {
        register();
        try (TestWebhook webhook = new TestWebhook(TestWebhook.allows(), "localhost")) {
            server.serviceAt("default", "hooks", URI.create("https://localhost:" + webhook.port()));
            assertThat(create().refused(500, "InternalError").message())
                    .contains(
                            "Post \"https://hooks.default.svc:443/v?timeout=10s\": tls: failed to verify certificate: x509:");
            assertThat(webhook.requests()).isEmpty();
        }
    }

    @Test
    void isWhereEndpointSlicesSay() {
        register();
        assertThat(create().refused(500, "InternalError").message()).endsWith("service \"hooks\" not found");
        api.create("/api/v1/namespaces/default/services", json("""
                {'metadata':{'name':'hooks'},'spec':{'ports':[{'name':'https','port':443}]}}""")).ok();
        assertThat(create().refused(500, "InternalError").message())
                .endsWith("no endpoints available for service \"hooks\"");
        try (TestWebhook webhook = new TestWebhook(TestWebhook.allows(), "hooks.default.svc")) {
            api.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", json("""
                    {'metadata':{'name':'hooks','labels':{'kubernetes.io/service-name':'hooks'}},'addressType':'IPv4',
                     'ports':[{'name':'https','port':%d}],
                     'endpoints':[{'addresses':['127.0.0.2'],'conditions':{'ready':false}},{'addresses':['127.0.0.1']}]}""", webhook.port()))
                    .ok();
            create().ok();
            assertThat(webhook.requests()).hasSize(1);
        }
    }

    @Test
    void mayAskTheServerMeanwhile() {
        register();
        Function<ObjectNode, String> asks = review -> {
            api.create("/api/v1/namespaces/default/secrets", json("{'metadata':{'name':'s'}}"))
                    .ok();
            return TestWebhook.allows().apply(review);
        };
        try (TestWebhook webhook = new TestWebhook(asks, "hooks.default.svc")) {
            server.serviceAt("default", "hooks", URI.create("https://localhost:" + webhook.port()));
            create().ok();
            api.get("/api/v1/namespaces/default/secrets/s").ok();
        }
    }

    @Test
    void judgesAPatchAnewThatAnotherWriteOvertakes() {
        create().ok();
        register();
        String path = CONFIG_MAPS + "/a";
        Function<ObjectNode, String> overtakes = review -> {
            if (review.at("/request/object/data/key").asText().equals("slow")
                    && !review.at("/request/object/data").has("fast")) {
                api.patch(path, Api.MERGE_PATCH, "{'data':{'fast':'yes'}}").ok();
            }
            return TestWebhook.allows().apply(review);
        };
        try (TestWebhook webhook = new TestWebhook(overtakes, "hooks.default.svc")) {
            server.serviceAt("default", "hooks", URI.create("https://localhost:" + webhook.port()));
            Reply patched =
                    api.patch(path, Api.MERGE_PATCH, "{'data':{'key':'slow'}}").ok();
            assertThat(patched.node("/data")).isEqualTo(json("{'key':'slow','fast':'yes'}"));
            assertThat(webhook.requests()).hasSize(3);
        }
    }
}
