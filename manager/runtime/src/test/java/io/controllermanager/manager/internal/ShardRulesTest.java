package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.EventChannel;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.partition.ShardedSelection;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What can be divided, and which caches hold shards only. */
class ShardRulesTest {

    private static final ResourceType<V1ConfigMap> MAP =
            ResourceType.namespaced(V1ConfigMap.class, "", "v1", "ConfigMap", "configmaps");
    private static final ResourceType<V1Secret> SECRET =
            ResourceType.namespaced(V1Secret.class, "", "v1", "Secret", "secrets");
    private static final ResourceType<V1Node> NODE = ResourceType.cluster(V1Node.class, "", "v1", "Node", "nodes");
    private static final Selection<V1ConfigMap> MAPS = Selection.of(MAP);
    private static final Selection<V1Secret> SECRETS = Selection.of(SECRET);

    private static ControllerRegistration registration(ControllerDescriptor.Builder builder, Shards shards) {
        return ControllerRegistration.of(builder.options(ControllerOptions.DEFAULTS.withShards(shards))
                .reconciler(request -> new Result(false))
                .build());
    }

    private static ControllerDescriptor.Builder owner(String name) {
        return ControllerDescriptor.named(name).forType(MAP).owns(SECRET);
    }

    private static Shards by(Shards.By by) {
        return new Shards(4, by);
    }

    private static Map<Selection<?>, ShardedSelection<?>> caches(ControllerRegistration... controllers) {
        return ShardRules.caches(List.of(controllers), ShardRules::isDivided);
    }

    @ParameterizedTest
    @EnumSource(names = {"NAMESPACE", "NAMESPACE_RANGE"})
    void byNamespaceAllThatIsOwnedIsDividedAsWhatOwnsIt(Shards.By by) {
        Shards shards = by(by);
        assertThat(caches(registration(owner("foo"), shards)))
                .isEqualTo(Map.of(
                        MAPS, new ShardedSelection<>(MAPS, shards, null),
                        SECRETS, new ShardedSelection<>(SECRETS, shards, null)));
    }

    @ParameterizedTest
    @EnumSource(
            value = Shards.By.class,
            names = {"NAME", "UID"})
    void otherwiseWhatIsOwnedIsDividedByItsOwner(Shards.By by) {
        Shards shards = by(by);
        assertThat(caches(registration(owner("foo"), shards)))
                .isEqualTo(Map.of(
                        MAPS, new ShardedSelection<>(MAPS, shards, null),
                        SECRETS, new ShardedSelection<>(SECRETS, shards, MAP)));
    }

    @ParameterizedTest
    @EnumSource(Shards.By.class)
    void whatADescriptionOwnsIsDividedByNamespaceOnlySinceOwnersWaitForNames(Shards.By by) {
        ControllerDescriptor described = TypedController.descriptor("foo", MAP, new Owner());
        ControllerRegistration foo =
                new ControllerRegistration(described, ControllerOptions.DEFAULTS.withShards(by(by)), true);
        Map<Selection<?>, ShardedSelection<?>> own = Map.of(MAPS, new ShardedSelection<>(MAPS, by(by), null));
        Map<Selection<?>, ShardedSelection<?>> both = new HashMap<>(own);
        both.put(SECRETS, new ShardedSelection<>(SECRETS, by(by), null));
        assertThat(caches(foo)).isEqualTo(by(by).byNamespace() ? both : own);
    }

    private static final class Owner implements ObjectReconciler<V1ConfigMap> {

        @Override
        public void describe(ControllerDescription<V1ConfigMap> d) {
            d.owns(SECRET);
        }

        @Override
        public Outcome reconcile(V1ConfigMap map, Reconciliation<V1ConfigMap> r) {
            return Outcome.done();
        }
    }

    @ParameterizedTest
    @EnumSource(Shards.By.class)
    void whatIsWatchedIsHeldWhole(Shards.By by) {
        ControllerDescriptor.Builder watcher =
                ControllerDescriptor.named("foo").forType(MAP).watches(SECRET, secret -> Set.of());
        assertThat(caches(registration(watcher, by(by)))).containsOnlyKeys(MAPS);
    }

    @Test
    void whatIsUsedInTwoWaysIsHeldWhole() {
        ControllerDescriptor.Builder both = owner("foo").watches(SECRET, secret -> Set.of());
        assertThat(caches(registration(both, by(Shards.By.NAMESPACE)))).containsOnlyKeys(MAPS);
        ControllerDescriptor.Builder ownOwner =
                ControllerDescriptor.named("foo").forType(MAP).owns(MAP);
        assertThat(caches(registration(ownOwner, by(Shards.By.NAME)))).isEmpty();
        assertThat(caches(registration(ownOwner, by(Shards.By.NAMESPACE)))).containsOnlyKeys(MAPS);
    }

    @Test
    void controllersThatDivideAlikeShareAndOthersHoldTheWhole() {
        ControllerRegistration foo = registration(owner("foo"), by(Shards.By.NAMESPACE));
        ControllerRegistration alike =
                registration(ControllerDescriptor.named("bar").forType(MAP), by(Shards.By.NAMESPACE));
        ControllerRegistration otherwise =
                registration(ControllerDescriptor.named("baz").forType(MAP), new Shards(8, Shards.By.NAMESPACE));
        ControllerRegistration undivided =
                registration(ControllerDescriptor.named("one").forType(SECRET), Shards.ONE);
        assertThat(caches(foo, alike)).containsOnlyKeys(MAPS, SECRETS);
        assertThat(caches(foo, alike, otherwise)).containsOnlyKeys(SECRETS);
        assertThat(caches(foo, undivided)).containsOnlyKeys(MAPS);
        assertThat(caches(foo, new ControllerRegistration(undivided.descriptor(), undivided.options(), false)))
                .containsOnlyKeys(MAPS, SECRETS);
    }

    @Test
    void withoutElectionAllIsHeldWhole() {
        assertThat(ShardRules.caches(List.of(registration(owner("foo"), by(Shards.By.NAME))), one -> false))
                .isEmpty();
    }

    @Test
    void refusesWhatCannotBeDivided() {
        ControllerDescriptor.Builder nodes = ControllerDescriptor.named("foo").forType(NODE);
        assertThatThrownBy(() -> ShardRules.check(registration(nodes, by(Shards.By.NAMESPACE)), false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("controller \"foo\" cannot have shards=4 with shard-by=namespace, since " + NODE
                        + " has no namespace: use shard-by=name or shard-by=uid");
        assertThatThrownBy(() -> ShardRules.check(registration(nodes, by(Shards.By.NAMESPACE_RANGE)), false))
                .hasMessage("controller \"foo\" cannot have shards=4 with shard-by=namespace-range, since " + NODE
                        + " has no namespace: use shard-by=name or shard-by=uid");
        ControllerDescriptor.Builder channel = ControllerDescriptor.named("foo")
                .source(new EventChannel<String>(), event -> Set.of(new Request(event)));
        assertThatThrownBy(() -> ShardRules.check(registration(channel, by(Shards.By.UID)), false))
                .hasMessage(
                        "controller \"foo\" cannot have shards=4 with shard-by=uid, since the controller is for no type: use "
                                + "shard-by=namespace or shard-by=name");
        assertThatThrownBy(() -> ShardRules.check(registration(owner("foo"), by(Shards.By.NAME)), true))
                .hasMessage(
                        "controller \"foo\" cannot have shards=4, since it brings its own workers, which take every "
                                + "key: use shards=1");
        ShardRules.check(registration(nodes, by(Shards.By.UID)), false);
        ShardRules.check(registration(nodes, Shards.ONE), true);
    }

    private static final Map<String, String> WRITTEN = Map.of(
            "secrets", "1",
            "pods/ns", "2",
            "configmaps#1-of-16", "3",
            "configmaps#11-of-16", "4",
            "configmaps/ns#1-of-16", "5",
            "configmaps#any-of-16", "6",
            "configmaps#1-of-8", "7",
            "configmaps#any-of-8", "8");

    @Test
    void aShardsLeaseCarriesWhatIsWholeAndWhatIsItsOwnOrOfNoShard() {
        assertThat(ShardRules.notes(WRITTEN, 1, 16))
                .isEqualTo(Map.of(
                        "secrets", "1",
                        "pods/ns", "2",
                        "configmaps#1-of-16", "3",
                        "configmaps/ns#1-of-16", "5",
                        "configmaps#any-of-16", "6"));
    }

    @Test
    void anotherLeaseCarriesWhatIsWhole() {
        assertThat(ShardRules.notes(WRITTEN, 0, 1)).isEqualTo(Map.of("secrets", "1", "pods/ns", "2"));
    }
}
