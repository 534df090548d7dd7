package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What operators ask for of single objects, and the slow walk, where two replicas share a controller by shards. */
class OperatedObjectsTest extends ShardedHostsFixture {

    private static final int OBJECTS = 20;
    private static final Shards SHARDS = new Shards(2, Shards.By.NAME);
    private static final String PAUSED = "controller-manager.io/paused";
    private static final String RECONCILE_AT = "controller-manager.io/reconcile-at";

    private final String namespace = server.createNamespace("operated");
    private final ResourceClient<V1ConfigMap> owners = new ResourceClient<>(server.client(), CONFIG_MAP);
    private final ResourceClient<V1Secret> others = new ResourceClient<>(server.client(), SECRET);
    private @Nullable Duration maxInterval;

    @BeforeEach
    void create() throws ApiException {
        for (int i = 0; i < OBJECTS; i++) {
            owners.create(new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace(namespace).name("object-" + i)));
        }
    }

    @Test
    void aPauseAndATriggerSurviveTheMoveOfAShardAndAKill() throws ApiException {
        String inFirst = nameIn(0);
        String inSecond = nameIn(1);
        annotate(inFirst, PAUSED, "true");
        annotate(inSecond, PAUSED, "c");
        Set<String> free = Set.copyOf(
                names(name -> !name.equals(inFirst) && !name.equals(inSecond)).toList());
        Host a = start("a");
        // More than once where a busy machine has had it lose a shard and take it again.
        awaitPassing(() -> assertThat(Set.copyOf(reconciledBy("a"))).isEqualTo(free));
        awaitPassing(() -> assertThat(a.paused()).isEqualTo(2));
        Request key = new Request(namespace, inFirst);
        assertThatIllegalStateException()
                .isThrownBy(() -> a.manager.reconcileNow("c", key))
                .withMessage("controller \"c\" does not reconcile " + namespace + "/" + inFirst
                        + ", which is paused by its annotation controller-manager.io/paused=true: take that away");

        Host b = start("b");
        awaitPassing(() -> assertThat(List.of(a.paused(), b.paused())).containsExactly(1, 1));
        a.kill();
        awaitPassing(() -> assertThat(Set.copyOf(reconciledBy("b"))).containsAll(free));
        awaitPassing(() -> assertThat(b.paused()).isEqualTo(2));
        // What belongs to a paused object asks in vain.
        others.create(
                new V1Secret().metadata(new V1ObjectMeta().namespace(namespace).name(inFirst)));
        others.create(
                new V1Secret().metadata(new V1ObjectMeta().namespace(namespace).name("object-of-nobody")));
        awaitPassing(() -> assertThat(reconciledBy("b")).contains("object-of-nobody"));
        String triggered = free.iterator().next();
        long before = count("b", triggered);
        annotate(triggered, RECONCILE_AT, "now");
        awaitPassing(() -> assertThat(count("b", triggered)).isGreaterThan(before));
        assertThat(log).noneMatch(line -> line.endsWith(" " + inFirst) || line.endsWith(" " + inSecond));

        annotate(inFirst, PAUSED, null);
        awaitPassing(() -> assertThat(count("b", inFirst)).isPositive());
        awaitPassing(() -> assertThat(b.paused()).isEqualTo(1));
        assertThat(count("b", inSecond)).isZero();
    }

    @Test
    void eachObjectIsReconciledWithinTheIntervalByTheReplicaThatHasItsShard() {
        maxInterval = Duration.ofSeconds(10);
        Host a = start("a");
        Host b = start("b");
        awaitPassing(
                () -> assertThat(List.of(a.shards().size(), b.shards().size())).containsExactly(1, 1));
        awaitPassing(() -> assertThat(log).hasSizeGreaterThanOrEqualTo(OBJECTS));
        log.clear();
        awaitPassing(() -> names(any -> true)
                .forEach(name -> assertThat(count("a", name) + count("b", name)).isGreaterThanOrEqualTo(3)));
        assertThat(reconciledBy("a")).allMatch(name -> a.shards().contains(shardOf(name)));
        assertThat(reconciledBy("b")).allMatch(name -> b.shards().contains(shardOf(name)));
    }

    private void annotate(String name, String annotation, @Nullable String value) throws ApiException {
        String json = value == null ? "null" : '"' + value + '"';
        owners.patch(
                namespace,
                name,
                new Patch.Merge("{\"metadata\":{\"annotations\":{\"" + annotation + "\":" + json + "}}}"));
    }

    private static Stream<String> names(Predicate<String> which) {
        return IntStream.range(0, OBJECTS).mapToObj(i -> "object-" + i).filter(which);
    }

    private String nameIn(int shard) {
        return names(name -> shardOf(name) == shard).findFirst().orElseThrow();
    }

    private int shardOf(String name) {
        return SHARDS.of(namespace, name, null);
    }

    private List<String> reconciledBy(String host) {
        return log.stream()
                .filter(line -> line.startsWith(host + " "))
                .map(line -> line.substring(host.length() + 1))
                .toList();
    }

    private long count(String host, String name) {
        return reconciledBy(host).stream().filter(name::equals).count();
    }

    private Host start(String identity) {
        return start(identity, "leases", namespace, SHARDS, registration(identity));
    }

    private ControllerRegistration registration(String identity) {
        return ControllerRegistration.of(ControllerDescriptor.named("c")
                .forType(CONFIG_MAP, event -> !(event instanceof ResourceEvent.Updated<V1ConfigMap>))
                .watches(SECRET, RequestMappers.self(), event -> true)
                .options(ControllerOptions.DEFAULTS.withShards(SHARDS).withMaxInterval(maxInterval))
                .reconciler(request -> {
                    log.add(identity + " " + request.getName());
                    return new Result(false);
                })
                .build());
    }
}
