package io.controllermanager.testing.foreigners.webpage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.crd.Comments;
import io.controllermanager.crd.CustomResourceDefinition;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.RunningManager;
import io.controllermanager.testing.foreigners.SdkOperator;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The operator does the same on either, and one takes over from the other. */
@Tag("system")
class WebPageTest {

    private static final ResourceType<WebPage> WEB_PAGE = ResourceType.of(WebPage.class);
    private static final String NAMESPACE = "default";
    private static final String NAME = "hello";

    private final ApiServer server = ApiServer.builder().tls(true).start();
    private final ResourceClient<WebPage> pages = new ResourceClient<>(server.client(), WEB_PAGE);

    /** Who runs the operator. */
    private enum Framework {
        SDK,
        OURS
    }

    @BeforeEach
    void install() throws ApiException {
        Map<String, Object> crd = CustomResourceDefinition.of(List.of(WebPage.class), Comments.NONE)
                .get(0)
                .content();
        new ResourceClient<>(server.client(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION)
                .patch(null, "webpages.example.com", new Patch.Apply(new Gson().toJson(crd), "test", true));
        await().until(() -> server.serves("webpages.example.com/v1"));
    }

    @AfterEach
    void close() {
        server.close();
    }

    private AutoCloseable run(Framework framework) {
        return framework == Framework.SDK
                ? SdkOperator.start(server, new io.controllermanager.testing.foreigners.webpage.sdk.WebPageReconciler())
                : RunningManager.start(server, TypedController.descriptor(new WebPageReconciler()));
    }

    @ParameterizedTest
    @EnumSource(Framework.class)
    @SuppressWarnings("try") // The operator works by itself.
    void servesPages(Framework framework) throws Exception {
        try (AutoCloseable host = run(framework)) {
            create();
            await().until(() -> children().size() == 3);
            await().until(() -> status() != null && NAME.equals(status().htmlConfigMap()));

            change("{\"html\":\"bye\",\"exposed\":true}");
            await().until(() -> "bye".equals(html().getData().get("index.html")));
            await().until(() -> children().size() == 4);
            new ResourceClient<>(server.client(), ResourceTypes.SERVICE).delete(NAMESPACE, NAME);
            await().until(() -> children().size() == 4);

            change("{\"exposed\":false}");
            await().until(() -> children().size() == 3);

            change("{\"html\":\"an error\"}");
            await().until(() -> error().endsWith("the page has an error"));
            change("{\"html\":\"well\"}");
            await().until(() -> error().isEmpty());

            pages.delete(NAMESPACE, NAME);
            await().until(() -> children().isEmpty());
        }
    }

    @Test
    @SuppressWarnings("try") // The operator works by itself.
    void takesOverWhatTheSdkHasMade() throws Exception {
        List<String> made;
        try (AutoCloseable host = run(Framework.SDK)) {
            create();
            await().until(() -> children().size() == 3);
            await().until(() -> status() != null);
            made = uids();
        }
        assertThat(owner(html()).getController()).isNull();

        try (RunningManager host = (RunningManager) run(Framework.OURS)) {
            await().until(() -> error().isEmpty() && Conditions.of(pages.get(NAMESPACE, NAME), "Ready") != null);
            host.settles();
        }

        assertThat(uids()).isEqualTo(made);
        assertThat(owner(html()).getController()).isTrue();
    }

    private void create() throws ApiException {
        WebPage page = new WebPage();
        page.setMetadata(new V1ObjectMeta().namespace(NAMESPACE).name(NAME));
        page.setSpec(new WebPage.Spec("hello", false));
        pages.create(page);
    }

    private void change(String spec) throws ApiException {
        pages.patch(NAMESPACE, NAME, new Patch.Merge("{\"spec\":" + spec + "}"));
    }

    private WebPage.@Nullable Status status() throws ApiException {
        return pages.get(NAMESPACE, NAME).status();
    }

    /** What is said of a failure, by a field or by a condition; empty for none. */
    private String error() throws ApiException {
        WebPage.Status status = status();
        V1Condition ready = Conditions.of(pages.get(NAMESPACE, NAME), "Ready");
        if (ready != null) {
            return ready.getStatus().equals("True") ? "" : ready.getMessage();
        }
        return status == null || status.errorMessage() == null ? "" : status.errorMessage();
    }

    private V1ConfigMap html() throws ApiException {
        return new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP).get(NAMESPACE, NAME);
    }

    private static V1OwnerReference owner(V1ConfigMap child) {
        return child.getMetadata().getOwnerReferences().get(0);
    }

    private List<KubernetesObject> children() {
        return Stream.of(
                        ResourceTypes.CONFIG_MAP,
                        ResourceTypes.DEPLOYMENT,
                        ResourceTypes.SERVICE,
                        ResourceTypes.INGRESS)
                .<KubernetesObject>mapMulti((type, found) -> {
                    try {
                        KubernetesObject child = new ResourceClient<>(server.client(), type).get(NAMESPACE, NAME);
                        if (child != null) {
                            found.accept(child);
                        }
                    } catch (ApiException e) {
                        throw new IllegalStateException(e);
                    }
                })
                .toList();
    }

    private List<String> uids() {
        return children().stream().map(child -> child.getMetadata().getUid()).toList();
    }
}
