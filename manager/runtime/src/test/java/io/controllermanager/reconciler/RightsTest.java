package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.PolicyRules;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalSystem;
import io.controllermanager.informer.Selection;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RightsTest {

    private static final String STATUS = "example.com gadgets/status: patch";
    private static final String READ = "example.com gadgets: list watch";
    private static final String GET = "example.com gadgets: get list watch";
    private static final String FINALIZERS = "example.com gadgets/finalizers: update";

    static Stream<Arguments> descriptions() {
        return Stream.of(
                row("its own type", d -> {}, READ, STATUS),
                row("schedules", d -> d.schedules(), "example.com gadgets: get list watch patch", STATUS),
                row("no status", ControllerDescription::withoutStatus, READ),
                row(
                        "owned types",
                        d -> d.owns(ResourceTypes.CONFIG_MAP)
                                .owns(ResourceTypes.SERVICE)
                                .owns(ResourceTypes.DEPLOYMENT),
                        GET,
                        " configmaps services: get list watch create patch",
                        "apps deployments: get list watch create patch",
                        STATUS,
                        FINALIZERS),
                row(
                        "pruned types",
                        d -> d.owns(ResourceTypes.JOB).prunes(),
                        GET,
                        "batch jobs: get list watch create patch delete",
                        STATUS,
                        FINALIZERS),
                row(
                        "types that stay",
                        d -> d.owns(ResourceTypes.PERSISTENT_VOLUME_CLAIM).retained(),
                        GET,
                        " persistentvolumeclaims: get list watch create patch",
                        STATUS),
                // Null is what the field of a reconciler is that was not constructed, as by the Maven plugin.
                row("what is outside", d -> d.external(null), "example.com gadgets: get list watch patch", STATUS),
                row(
                        "what is outside",
                        d -> d.external(
                                External.byName("row", String.class, new ExternalSystem.ByName<String, String>() {
                                    @Override
                                    public @Nullable String read(String id) {
                                        return null;
                                    }

                                    @Override
                                    public void create(String name, String wanted) {}

                                    @Override
                                    public void update(String id, String present, String wanted) {}

                                    @Override
                                    public void delete(String id) {}
                                })),
                        "example.com gadgets: get list watch patch",
                        STATUS),
                row(
                        "referenced and watched types",
                        d -> d.references(
                                        Selection.metadataOf(ResourceTypes.SECRET),
                                        gadget -> gadget.spec().config())
                                .watches(ResourceTypes.NODE, node -> Set.of())
                                .peers(Index.of("size", gadget -> "")),
                        READ,
                        " secrets nodes: list watch",
                        STATUS),
                row("a budget", d -> d.budget(Index.of("size", gadget -> ""), 1), GET, STATUS),
                row(
                        "what the author adds",
                        d -> d.rights(PolicyRules.of(ResourceTypes.NODE, "get"), PolicyRules.of(Gadget.TYPE, "delete")),
                        "example.com gadgets: list watch delete",
                        STATUS,
                        " nodes: get"));
    }

    private static Arguments row(String name, Consumer<ControllerDescription<Gadget>> description, String... rules) {
        return Arguments.of(name, description, List.of(rules));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("descriptions")
    void followFromTheDescription(
            String name, Consumer<ControllerDescription<Gadget>> description, List<String> rules) {
        assertThat(rights(Gadget.TYPE, new Plain<Gadget>(description))).isEqualTo(rules);
    }

    @ParameterizedTest
    @MethodSource("descriptions")
    void aFinalizerIsReadAndPatched(
            String name, Consumer<ControllerDescription<Gadget>> description, List<String> rules) {
        assertThat(rights(Gadget.TYPE, new Cleaning(description)).get(0))
                .startsWith("example.com gadgets: get list watch patch");
    }

    @Test
    void slotsAreInTheHostsNamespace() {
        Plain<Gadget> plain = new Plain<>(d -> {});
        Plain<Gadget> budget = new Plain<>(d -> d.budget(Index.of("size", gadget -> ""), 1));

        assertThat(TypedController.descriptor("gadget", Gadget.TYPE, plain).hostRights())
                .isEmpty();
        assertThat(TypedController.descriptor("gadget", Gadget.TYPE, budget).hostRights())
                .extracting(RightsTest::line)
                .containsExactly(" configmaps: get list watch create update");
    }

    @Test
    void aTypeIsOwnedOnce() {
        Plain<Gadget> twice = new Plain<>(d ->
                d.owns(ResourceTypes.JOB).owns(Selection.of(ResourceTypes.JOB).inNamespaces(Set.of("a"))));

        assertThatThrownBy(() -> rights(Gadget.TYPE, twice))
                .hasMessageStartingWith("controller \"gadget\" owns ")
                .hasMessageEndingWith(" already");
    }

    @ParameterizedTest
    @MethodSource("builtIn")
    void ofBuiltInTypesNoStatusIsWritten(ResourceType<V1ConfigMap> type) {
        assertThat(rights(type, new Plain<V1ConfigMap>(d -> {}))).containsExactly(" configmaps: list watch");
    }

    static Stream<ResourceType<V1ConfigMap>> builtIn() {
        return Stream.of(ResourceTypes.CONFIG_MAP);
    }

    private static <T extends io.kubernetes.client.common.KubernetesObject> List<String> rights(
            ResourceType<T> type, ObjectReconciler<T> reconciler) {
        return TypedController.descriptor("gadget", type, reconciler).rights().stream()
                .map(RightsTest::line)
                .toList();
    }

    private static String line(V1PolicyRule rule) {
        return String.join(" ", rule.getApiGroups()) + " " + String.join(" ", rule.getResources()) + ": "
                + String.join(" ", rule.getVerbs());
    }

    private record Plain<T extends io.kubernetes.client.common.KubernetesObject>(
            Consumer<ControllerDescription<T>> description) implements ObjectReconciler<T> {

        @Override
        public void describe(ControllerDescription<T> filled) {
            description.accept(filled);
        }

        @Override
        public Outcome reconcile(T object, Reconciliation<T> reconciliation) {
            return Outcome.done();
        }
    }

    private record Cleaning(Consumer<ControllerDescription<Gadget>> description)
            implements ObjectReconciler<Gadget>, Cleaner<Gadget> {

        @Override
        public void describe(ControllerDescription<Gadget> filled) {
            description.accept(filled);
        }

        @Override
        public Outcome reconcile(Gadget object, Reconciliation<Gadget> reconciliation) {
            return Outcome.done();
        }

        @Override
        public Outcome cleanup(Gadget object, Reconciliation<Gadget> reconciliation) {
            return Outcome.done();
        }
    }
}
