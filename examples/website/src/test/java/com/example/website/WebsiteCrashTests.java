package com.example.website;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.CrashPoints;
import io.controllermanager.test.Scenario;
import io.controllermanager.test.Stage;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The operator comes to the same end wherever its process is lost. */
class WebsiteCrashTests {

    private static final ResourceType<Website> WEBSITE = ResourceType.of(Website.class);

    /** What the DNS provider has, whichever process of the operator asks it. */
    private static final class Provider extends DnsRecords {

        private final Map<String, String> ownerByHost = new HashMap<>();

        @Override
        synchronized void publish(String host, String owner) {
            ownerByHost.put(host, owner);
        }

        @Override
        synchronized void remove(String host, String owner) {
            ownerByHost.remove(host, owner);
        }

        synchronized List<String> hosts() {
            return ownerByHost.keySet().stream().sorted().toList();
        }
    }

    /** Two Websites want the same host; the first is edited and deleted, so that the second gets it. */
    private static final class HandedOverHost implements Scenario {

        private final Provider dns = new Provider();

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("config/crd/*.yaml").world(true);
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(TypedController.descriptor(new WebsiteReconciler(dns)));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            ResourceClient<Website> websites = stage.client(WEBSITE);
            websites.create(website("first"));
            stage.converges();
            websites.create(website("second"));
            websites.patch("default", "first", new Patch.Merge("{\"spec\": {\"html\": \"<h1>Bye</h1>\"}}"));
            stage.converges();
            websites.delete("default", "first");
        }

        private static Website website(String name) {
            Website website = new Website();
            website.setMetadata(new V1ObjectMeta().namespace("default").name(name));
            website.setSpec(new Website.Spec("hello.example.com", "<h1>Hello</h1>", 2, null));
            return website;
        }

        @Override
        public Object outside() {
            return dns.hosts();
        }
    }

    @Test
    void comesToTheSameEndWhereverTheProcessIsLost() {
        CrashPoints.of(HandedOverHost::new).check();
    }
}
