package com.example.website;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.controllermanager.apiserver.rights.DeclaredRights;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** The application may do what its controller declares, and nothing more. Its webhooks have tests of their own. */
@TestPropertySource(properties = "controller-manager.webhooks.enabled=false")
@SpringBootTest(properties = "controller-manager.leader-election.enabled=false")
@EmbeddedApiServer(
        manifests = "config/crd/*.yaml",
        world = true,
        authorization = true,
        user = "system:serviceaccount:website-operator:website-operator",
        rights = "website")
class WebsiteOperatorTests {

    private static final ResourceType<Website> WEBSITE = ResourceType.of(Website.class);

    @Autowired
    private ApiServer server;

    @MockitoBean
    private DnsRecords dns;

    private ResourceClient<Website> websites;
    private ResourceClient<V1Service> services;
    private String namespace;
    private String host;

    @BeforeAll
    static void waitLonger() {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }

    @BeforeEach
    void prepare() throws ApiException {
        websites = new ResourceClient<>(server.client(), WEBSITE);
        services = new ResourceClient<>(server.client(), ResourceTypes.SERVICE);
        namespace = server.createNamespace("test");
        host = namespace + ".example.com";
    }

    @Test
    void declaresItsRights() {
        assertThat(DeclaredRights.all())
                .extracting(DeclaredRights::controller)
                .contains("website");
    }

    @Test
    void servesAPage() throws ApiException {
        create("hello", host, null);

        awaitReason("hello", "Served");
        assertThat(get(ResourceTypes.CONFIG_MAP, "hello").getData()).containsEntry("index.html", "<h1>Hello</h1>");
        assertThat(get(ResourceTypes.DEPLOYMENT, "hello").getSpec().getReplicas())
                .isEqualTo(2);
        assertThat(get(ResourceTypes.SERVICE, "hello").getSpec().getPorts())
                .extracting(V1ServicePort::getPort)
                .containsExactly(80);
        verify(dns, atLeastOnce()).publish(host, uid("hello"));
    }

    @Test
    void rollsOutAnotherPage() throws ApiException {
        create("hello", host, null);
        awaitReason("hello", "Served");
        String before = content("hello");

        patch("hello", "{\"spec\": {\"html\": \"<h1>Bye</h1>\"}}");

        await().until(() -> !content("hello").equals(before));
        assertThat(get(ResourceTypes.CONFIG_MAP, "hello").getData()).containsEntry("index.html", "<h1>Bye</h1>");
    }

    @Test
    void putsRightWhatOthersChange() throws ApiException {
        create("hello", host, null);
        awaitReason("hello", "Served");

        new ResourceClient<>(server.client(), ResourceTypes.DEPLOYMENT)
                .patch(namespace, "hello", new Patch.Merge("{\"spec\": {\"replicas\": 7}}"));
        services.delete(namespace, "hello");

        await().until(() -> services.get(namespace, "hello") != null);
        await().until(() -> get(ResourceTypes.DEPLOYMENT, "hello").getSpec().getReplicas() == 2);
    }

    @Test
    void writesNothingWhereNothingDiffers() throws ApiException {
        create("hello", host, null);
        awaitReason("hello", "Served");
        String before = get(ResourceTypes.DEPLOYMENT, "hello").getMetadata().getResourceVersion();
        clearInvocations(dns);

        services.patch(namespace, "hello", new Patch.Merge("{\"metadata\": {\"annotations\": {\"by\": \"others\"}}}"));

        verify(dns, timeout(60_000).atLeastOnce()).publish(host, uid("hello"));
        assertThat(get(ResourceTypes.DEPLOYMENT, "hello").getMetadata().getResourceVersion())
                .isEqualTo(before);
    }

    @Test
    void waitsForTheSecretAndFollowsIt() throws ApiException {
        create("hello", host, "certificate");
        awaitReason("hello", "SecretMissing");
        assertThat(services.get(namespace, "hello")).isNull();

        ResourceClient<V1Secret> secrets = new ResourceClient<>(server.client(), ResourceTypes.SECRET);
        secrets.create(new V1Secret()
                .metadata(new V1ObjectMeta().namespace(namespace).name("certificate"))
                .data(Map.of("tls.crt", new byte[] {1})));
        awaitReason("hello", "Served");
        String before = content("hello");

        secrets.patch(namespace, "certificate", new Patch.Merge("{\"data\": {\"tls.crt\": \"Ag==\"}}"));

        await().until(() -> !content("hello").equals(before));
    }

    @Test
    void givesAHostToOneWebsiteAndToTheNextWhenThatHasGone() throws ApiException {
        create("first", host, null);
        awaitReason("first", "Served");
        create("second", host, null);
        awaitReason("second", "HostTaken");

        websites.delete(namespace, "first");

        awaitReason("second", "Served");
        verify(dns, atLeastOnce()).publish(host, uid("second"));
    }

    @Test
    void removesTheDnsRecordBeforeTheWebsiteIsGone() throws ApiException {
        create("hello", host, null);
        awaitReason("hello", "Served");

        String uid = uid("hello");

        websites.delete(namespace, "hello");

        await().until(() -> websites.get(namespace, "hello") == null);
        verify(dns, atLeastOnce()).remove(host, uid);
    }

    @Test
    void leavesAloneWhatIsNotItsOwn() throws ApiException {
        create(
                ResourceTypes.SERVICE,
                new V1Service()
                        .metadata(new V1ObjectMeta().namespace(namespace).name("hello"))
                        .spec(new V1ServiceSpec().ports(List.of(new V1ServicePort().port(9999)))));

        create("hello", host, null);

        awaitReason("hello", "NameTaken");
        assertThat(get(ResourceTypes.SERVICE, "hello").getSpec().getPorts())
                .extracting(V1ServicePort::getPort)
                .containsExactly(9999);
    }

    @Test
    void declaresWhatFollowsFromItsDescription() {
        assertThat(TypedController.descriptor(new WebsiteReconciler(dns)).rights())
                .containsExactlyInAnyOrderElementsOf(
                        DeclaredRights.of("website").rules());
    }

    @Test
    void aHostCannotBeChanged() throws ApiException {
        create("hello", host, null);

        assertThatThrownBy(() -> patch("hello", "{\"spec\": {\"host\": \"other.example.com\"}}"))
                .hasMessageContaining("cannot be changed");
    }

    private void create(String name, String wantedHost, String tlsSecretName) throws ApiException {
        Website website = new Website();
        website.setMetadata(new V1ObjectMeta().namespace(namespace).name(name));
        website.setSpec(new Website.Spec(wantedHost, "<h1>Hello</h1>", 2, tlsSecretName));
        create(WEBSITE, website);
    }

    private <T extends KubernetesObject> void create(ResourceType<T> type, T object) throws ApiException {
        new ResourceClient<>(server.client(), type).create(object);
    }

    private void patch(String name, String json) throws ApiException {
        websites.patch(namespace, name, new Patch.Merge(json));
    }

    private void awaitReason(String name, String reason) {
        await().untilAsserted(() -> assertThat(Conditions.of(get(WEBSITE, name), "Ready"))
                .isNotNull()
                .extracting(V1Condition::getReason)
                .isEqualTo(reason));
    }

    private <T extends KubernetesObject> T get(ResourceType<T> type, String name) throws ApiException {
        T object = new ResourceClient<>(server.client(), type).get(namespace, name);
        assertThat(object).isNotNull();
        return object;
    }

    private String uid(String name) throws ApiException {
        return get(WEBSITE, name).getMetadata().getUid();
    }

    /** What makes new pods when it changes. */
    private String content(String name) throws ApiException {
        return get(ResourceTypes.DEPLOYMENT, name)
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations()
                .get(Children.CONTENT);
    }
}
