package io.controllermanager.informer.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionNames;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionSpec;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionVersion;
import io.kubernetes.client.openapi.models.V1CustomResourceValidation;
import io.kubernetes.client.openapi.models.V1JSONSchemaProps;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A CRD that goes and comes back. The informer lives in virtual time, so that the type is away for long at no cost. */
@OnBothServers
class TypeReturnTest {

    private static final String GROUP = "return.informer.test";
    private static final String CRD = "widgets." + GROUP;
    private static final ResourceType<Widget> WIDGETS =
            ResourceType.namespaced(Widget.class, GROUP, "v1", "Widget", "widgets");

    /** No wait is as long; a request that is under way has an alarm after so long. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final VirtualTime time = new VirtualTime();
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final ApiConnection connection;
    private final InformerFactory factory;
    private final HostInformer<Widget> informer;
    private final EventLog<Widget> log = new EventLog<>();
    private final ResourceClient<V1CustomResourceDefinition> definitions;
    private final ResourceClient<Widget> widgets;
    private final String namespace;

    TypeReturnTest(TestedServer server) {
        connection = ApiConnection.builder(Clock.system(), timer)
                .apiClient(server.client())
                .build();
        namespace = server.createNamespace();
        factory =
                new InformerFactory(connection, time, time, InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)));
        informer = factory.informer(WIDGETS);
        definitions = new ResourceClient<>(connection.apiClient(), ResourceTypes.CUSTOM_RESOURCE_DEFINITION);
        widgets = new ResourceClient<>(connection.apiClient(), WIDGETS);
    }

    @BeforeEach
    void installCrdAndWatch() throws ApiException {
        definitions.create(definition());
        awaitServed(true);
        create("before");
        informer.subscribe("test", log, Duration.ZERO);
        informer.run();
        passUntil(() -> informer.status().connected() && !log.entries().isEmpty());
        assertThat(log.entries()).containsExactly("initial before");
    }

    @AfterEach
    void removeCrd() throws ApiException {
        factory.close();
        deleteCrd();
        connection.close();
        timer.close();
    }

    @Test
    void objectsOfACrdThatIsMadeAgainAreThereWithinSeconds() throws Exception {
        deleteCrd();
        await().until(() -> log.entries().size() == 2);
        assertThat(log.entries().get(1)).isEqualTo("deleted before");
        passMinutesWithoutIt();

        definitions.create(definition());
        awaitServed(true);
        create("after");

        assertThat(timeUntilItHas("after")).isLessThan(Duration.ofSeconds(5));
        assertThat(log.entries()).containsExactly("initial before", "deleted before", "created after");
    }

    @Test
    void objectsOfAVersionThatIsServedAgainAreThereWithinSeconds() throws Exception {
        serve(false);
        passMinutesWithoutIt();
        assertThat(informer.getIndexer().listKeys()).containsExactly(namespace + "/before");

        serve(true);
        create("after");

        assertThat(timeUntilItHas("after")).isLessThan(Duration.ofSeconds(5));
        assertThat(log.entries()).containsExactly("initial before", "created after");
    }

    private void passMinutesWithoutIt() {
        long until = time.nanoTime() + Duration.ofSeconds(150).toNanos();
        passUntil(() -> time.nanoTime() - until >= 0);
        assertThat(informer.status().lastError()).contains("404");
    }

    private Duration timeUntilItHas(String name) {
        long begun = time.nanoTime();
        passUntil(() -> log.entries().contains("created " + name));
        return Duration.ofNanos(time.nanoTime() - begun);
    }

    /** Lets time pass while the informer pauses, and none while it waits for an answer. */
    private void passUntil(BooleanSupplier done) {
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            if (done.getAsBoolean()) {
                return true;
            }
            Duration next = time.untilNextTask();
            if (next != null && next.compareTo(PATIENCE) < 0) {
                time.advance(next);
            }
            return done.getAsBoolean();
        });
    }

    private void create(String name) throws ApiException {
        Widget widget = new Widget();
        widget.setApiVersion(WIDGETS.apiVersion());
        widget.setKind(WIDGETS.kind());
        widget.metadata = new V1ObjectMeta().namespace(namespace).name(name);
        widgets.create(widget);
    }

    private void serve(boolean served) throws ApiException {
        definitions.patch(
                null,
                CRD,
                new Patch.Json("[{\"op\":\"replace\",\"path\":\"/spec/versions/0/served\",\"value\":" + served + "}]"));
        awaitServed(served);
    }

    private void deleteCrd() throws ApiException {
        definitions.delete(null, CRD);
        await().until(() -> definitions.get(null, CRD) == null);
        awaitServed(false);
    }

    private void awaitServed(boolean served) {
        await().until(() -> isListed() == served);
    }

    private boolean isListed() {
        try {
            widgets.list(namespace);
            return true;
        } catch (ApiException e) {
            return false;
        }
    }

    private static V1CustomResourceDefinition definition() {
        return new V1CustomResourceDefinition()
                .apiVersion("apiextensions.k8s.io/v1")
                .kind("CustomResourceDefinition")
                .metadata(new V1ObjectMeta().name(CRD))
                .spec(new V1CustomResourceDefinitionSpec()
                        .group(GROUP)
                        .scope("Namespaced")
                        .names(new V1CustomResourceDefinitionNames()
                                .kind(WIDGETS.kind())
                                .plural(WIDGETS.plural())
                                .singular("widget"))
                        .versions(List.of(new V1CustomResourceDefinitionVersion()
                                .name(WIDGETS.version())
                                .served(true)
                                .storage(true)
                                .schema(new V1CustomResourceValidation()
                                        .openAPIV3Schema(new V1JSONSchemaProps()
                                                .type("object")
                                                .xKubernetesPreserveUnknownFields(true))))));
    }
}
