package com.example.website;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.Cluster;
import io.controllermanager.testing.controllers.Manifest;
import io.controllermanager.testing.controllers.PlanAndTruth;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a dry run tells of Websites is what a real run then does. */
@OnBothServers
class WebsitePlanTest {

    private static final ResourceType<Website> WEBSITE = ResourceType.of(Website.class);
    private static final Path CRD = Path.of("../../examples/website/config/crd/websites.example.com.yaml");
    private static final String HOST = "hello.example.com";

    /** A release that labels its children further. */
    @Reconciles(Website.class)
    private static final class NextRelease extends WebsiteReconciler {

        NextRelease() {
            super(new DnsRecords());
        }

        @Override
        public void describe(ControllerDescription<Website> d) {
            super.describe(d);
            d.labels(Map.of("app.kubernetes.io/managed-by", "website-operator", "app.kubernetes.io/part-of", "shop"));
        }
    }

    private final Cluster cluster;
    private final String namespace;
    private final PlanAndTruth both;
    private final ResourceClient<Website> websites;
    private final ResourceClient<V1Deployment> deployments;
    private final ResourceClient<V1Service> services;
    private final ResourceClient<V1Secret> secrets;

    WebsitePlanTest(TestedServer server) {
        cluster = new Cluster(server);
        namespace = cluster.createNamespace();
        both = new PlanAndTruth(
                server,
                namespace,
                "apis/example.com/v1/websites",
                "api/v1/configmaps",
                "api/v1/services",
                "apis/apps/v1/deployments");
        websites = new ResourceClient<>(cluster.user(), WEBSITE);
        deployments = new ResourceClient<>(cluster.user(), ResourceTypes.DEPLOYMENT);
        services = new ResourceClient<>(cluster.user(), ResourceTypes.SERVICE);
        secrets = new ResourceClient<>(cluster.user(), ResourceTypes.SECRET);
    }

    @BeforeEach
    void installCrd() throws ApiException {
        cluster.installCrd(WEBSITE, Manifest.read(CRD));
    }

    private void create(String name, @Nullable String secret) throws ApiException {
        Website website = new Website();
        website.setMetadata(new V1ObjectMeta().namespace(namespace).name(name));
        website.setSpec(new Website.Spec(HOST, "<h1>Hello</h1>", 2, secret));
        websites.create(website);
    }

    private void patch(String name, String spec) throws ApiException {
        websites.patch(namespace, name, new Patch.Merge("{\"spec\":" + spec + "}"));
    }

    private static ControllerDescriptor[] controller() {
        return new ControllerDescriptor[] {TypedController.descriptor(new WebsiteReconciler(new DnsRecords()))};
    }

    private PlanReport check() {
        return both.check(controller(), controller());
    }

    @Test
    void aNewWebsite() throws ApiException {
        create("hello", null);
        assertThat(check().text())
                .contains(
                        "create configmaps " + namespace + "/hello",
                        "create deployments.apps " + namespace + "/hello",
                        "create services " + namespace + "/hello",
                        "    metadata.finalizers[0]: \"example.com/dns\"",
                        "    status.conditions[Ready].reason: \"Starting\"",
                        "3 to create, 1 to change, 0 to delete");
    }

    @Test
    void aWebsiteThatNeedsNothing() throws ApiException {
        create("hello", null);
        check();
        assertThat(check().exitCode()).isEqualTo(PlanReport.NO_CHANGE);
    }

    @Test
    void anotherPage() throws ApiException {
        create("hello", null);
        check();
        patch("hello", "{\"html\":\"<h1>Bye</h1>\"}");
        assertThat(check().text()).contains("    data[index.html]: \"<h1>Hello</h1>\" -> \"<h1>Bye</h1>\"");
    }

    @Test
    void morePods() throws ApiException {
        create("hello", null);
        check();
        patch("hello", "{\"replicas\":5}");
        assertThat(check().text()).contains("    spec.replicas: 2 -> 5", "0 of 5 replicas are available");
    }

    @Test
    void podsThatHaveStarted() throws ApiException {
        create("hello", null);
        check();
        deployments.patchStatus(
                namespace,
                "hello",
                new Patch.Merge("{\"status\":{\"replicas\":2,\"readyReplicas\":2,\"availableReplicas\":2}}"));
        assertThat(check().text()).contains("    status.conditions[Ready].reason: \"Starting\" -> \"Served\"");
    }

    @Test
    void whatOthersHaveChanged() throws ApiException {
        create("hello", null);
        check();
        deployments.patch(namespace, "hello", new Patch.Merge("{\"spec\":{\"replicas\":7}}"));
        services.delete(namespace, "hello");
        assertThat(check().text()).contains("    spec.replicas: 7 -> 2", "create services " + namespace + "/hello");
    }

    @Test
    void aSecretThatComesLater() throws ApiException {
        create("hello", "certificate");
        assertThat(check().text()).contains("    status.conditions[Ready].reason: \"SecretMissing\"");
        secrets.create(new V1Secret()
                .metadata(new V1ObjectMeta().namespace(namespace).name("certificate"))
                .data(Map.of("tls.crt", new byte[] {1})));
        assertThat(check().text()).contains("3 to create", "    spec.ports[https].port: 443");
        secrets.patch(namespace, "certificate", new Patch.Merge("{\"data\":{\"tls.crt\":\"Ag==\"}}"));
        assertThat(check().text()).contains("[example.com/content]", "0 to create, 1 to change");
    }

    @Test
    void aHostThatIsTaken() throws ApiException {
        create("first", null);
        check();
        create("second", null);
        assertThat(check().text()).contains("    status.conditions[Ready].reason: \"HostTaken\"");
    }

    @Test
    void aHostThatIsFreeAgain() throws ApiException {
        create("first", null);
        check();
        create("second", null);
        check();
        websites.delete(namespace, "first");
        assertThat(check().text())
                .contains(
                        "delete websites.example.com " + namespace + "/first",
                        "    status.conditions[Ready].reason: \"HostTaken\" -> \"Starting\"");
    }

    @Test
    void aNameThatIsTaken() throws ApiException {
        services.create(new V1Service()
                .metadata(new V1ObjectMeta().namespace(namespace).name("hello"))
                .spec(new V1ServiceSpec().ports(List.of(new V1ServicePort().port(9999)))));
        create("hello", null);
        assertThat(check().text()).contains("    status.conditions[Ready].reason: \"NameTaken\"");
    }

    @Test
    void theNextRelease() throws ApiException {
        create("hello", null);
        check();
        ControllerDescriptor[] next = {TypedController.descriptor(new NextRelease())};
        PlanReport plan = both.check(next, new ControllerDescriptor[] {TypedController.descriptor(new NextRelease())});
        assertThat(plan.text())
                .contains("    metadata.labels[app.kubernetes.io/part-of]: \"shop\"", "0 to create, 3 to change");
    }
}
