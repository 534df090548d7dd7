package io.controllermanager.spring.actuate.endpoint;

import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.TerminalException;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.Shards;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Objects to which nothing happens, each for another reason, and the sentence by which the endpoint says what to do. */
// One host has them all.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StuckObjectsTests {

    private static final String NAMESPACE = "default";
    private static final String AT_ONCE =
            " To have it reconciled at once, change its annotation controller-manager.io/reconcile-at.";
    private static final ResourceType<V1ConfigMap> WIDGET =
            ResourceType.namespaced(V1ConfigMap.class, "example.com", "v1", "Widget", "widgets");

    private final ApiServer server = ApiServer.start();
    private final ResourceClient<V1ConfigMap> maps = new ResourceClient<>(server.client(), ResourceTypes.CONFIG_MAP);
    private final CountDownLatch end = new CountDownLatch(1);
    private final List<AskedReplica> replicas = new ArrayList<>();
    private AskedReplica replica;

    /** What a controller does with a ConfigMap of this name. */
    @FunctionalInterface
    private interface Work {
        Result on(ControllerContext context, String name) throws Exception;
    }

    @BeforeAll
    void start() throws Exception {
        for (String shard : List.of("cm-by-name-1-of-2", "cm-by-uid-1-of-2")) {
            hold(shard);
        }
        replica = start(
                "leader-election.resource-name=cm",
                "annotations.cluster-api=true",
                "controllers=*,-off",
                "controller.shop.workers=8",
                "controller.shop.rate-limiter.min-backoff=1h",
                "controller.shop.rate-limiter.max-backoff=1h",
                "controller.rare.min-interval=1h",
                "controller.by-name.shards=2",
                "controller.by-name.shard-by=name",
                "controller.by-uid.shards=2",
                "controller.by-uid.shard-by=uid");
        // A controller that is starting queues what is there, and so a new object perhaps twice.
        for (String controller : List.of("shop", "busy")) {
            create(controller, "before-all-of-" + controller);
            says(controller, "before-all-of-" + controller, atRest("before-all-of-" + controller));
        }
    }

    private static String atRest(String name) {
        return "default/" + name + " waits for nothing: it is reconciled when something changes that concerns it."
                + AT_ONCE;
    }

    private AskedReplica start(String... properties) {
        AskedReplica started = AskedReplica.start(
                server.kubeconfigFile(),
                List.of(
                        controller("shop", this::work),
                        controller("busy", this::work),
                        controller("rare", this::work),
                        controller("contested", this::contest),
                        controller("off", this::work),
                        controller("halted", this::work),
                        controller("ended", this::work),
                        controller("by-name", this::work),
                        controller("by-uid", this::work),
                        ControllerDescriptor.named("broken")
                                .forType(selected("broken"), event -> true)
                                .reconcilerFactory(context -> {
                                    throw new IllegalStateException("no licence");
                                })
                                .build(),
                        ControllerDescriptor.named("widgets")
                                .forType(WIDGET)
                                .reconciler(request -> new Result(false))
                                .build()),
                Map.of("foreign", new ForeignWorkers(end)),
                properties);
        replicas.add(started);
        return started;
    }

    @AfterAll
    void close() {
        end.countDown();
        replicas.forEach(AskedReplica::close);
        server.close();
    }

    private static Selection<V1ConfigMap> selected(String controller) {
        return Selection.of(ResourceTypes.CONFIG_MAP).labelled(Map.of("for", controller));
    }

    private static ControllerDescriptor controller(String name, Work work) {
        return ControllerDescriptor.named(name)
                .forType(
                        selected(name),
                        event -> !event.object().getMetadata().getName().startsWith("ignored"))
                .reconcilerFactory(context -> throwing(context, work))
                .build();
    }

    private static Reconciler throwing(ControllerContext context, Work work) {
        return request -> {
            try {
                return work.on(context, request.getName());
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
    }

    private Result work(ControllerContext context, String name) throws Exception {
        return switch (name) {
            case "failing" -> {
                new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP)
                        .patch("no-such-namespace", "a", new Patch.Merge("{}"));
                yield new Result(false);
            }
            case "hopeless" -> throw new TerminalException("the colour is unknown");
            case "again" -> new Result(true, Duration.ofHours(1));
            case "repeated" -> new Result(true);
            case "hanging", "hanging-and-changed", "first" -> {
                end.await();
                yield new Result(false);
            }
            default -> new Result(false);
        };
    }

    /** Writes what somebody else undoes at once, often enough for a long pause. */
    private Result contest(ControllerContext context, String name) throws ApiException {
        for (int i = 0; i < 16; i++) {
            new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP)
                    .patch(NAMESPACE, name, new Patch.Merge("{\"data\":{\"owner\":\"ours\"}}"));
            maps.patch(NAMESPACE, name, new Patch.Merge("{\"data\":{\"owner\":\"theirs\"}}"));
        }
        return new Result(false);
    }

    /** Another replica has a Lease for an hour. */
    private void hold(String lease) throws ApiException {
        new ResourceClient<>(server.client(), ResourceTypes.LEASE)
                .create(new V1Lease()
                        .metadata(new V1ObjectMeta().namespace(NAMESPACE).name(lease))
                        .spec(new V1LeaseSpec()
                                .holderIdentity("another")
                                .leaseDurationSeconds(3600)
                                .acquireTime(OffsetDateTime.now())
                                .renewTime(OffsetDateTime.now())));
    }

    private V1ConfigMap create(String controller, String name) throws ApiException {
        return create(controller, new V1ObjectMeta().name(name));
    }

    private V1ConfigMap create(String controller, V1ObjectMeta metadata) throws ApiException {
        return maps.create(
                new V1ConfigMap().metadata(metadata.namespace(NAMESPACE).putLabelsItem("for", controller)));
    }

    private void createPaused(String name, String annotation, String value) throws ApiException {
        create("shop", new V1ObjectMeta().name(name).putAnnotationsItem(annotation, value));
    }

    private void says(String controller, String name, String sentence) {
        replica.says(controller, NAMESPACE, name, sentence);
    }

    @Test
    void atRest() throws ApiException {
        create("shop", "well");
        says("shop", "well", atRest("well"));
    }

    @Test
    void pausedByAnAnnotation() throws ApiException {
        createPaused("paused", "controller-manager.io/paused", "true");
        says(
                "shop",
                "paused",
                "default/paused is paused by its annotation controller-manager.io/paused=true. Remove the annotation to"
                        + " have it reconciled.");
    }

    @Test
    void pausedForThisControllerAmongOthers() throws ApiException {
        createPaused("paused-here", "controller-manager.io/paused", "rare, shop");
        says(
                "shop",
                "paused-here",
                "default/paused-here is paused by its annotation controller-manager.io/paused=rare, shop. Remove the"
                        + " annotation to have it reconciled.");
    }

    @Test
    void pausedByClusterApi() throws ApiException {
        createPaused("cluster", "cluster.x-k8s.io/paused", "");
        says(
                "shop",
                "cluster",
                "default/cluster is paused by its annotation cluster.x-k8s.io/paused=. Remove the annotation to have it"
                        + " reconciled.");
    }

    @Test
    void pausedThoughItIsBeingDeleted() throws ApiException {
        create(
                "shop",
                new V1ObjectMeta()
                        .name("kept")
                        .addFinalizersItem("example.com/cleanup")
                        .putAnnotationsItem("controller-manager.io/paused", "including-deletion"));
        maps.delete(NAMESPACE, "kept");
        says(
                "shop",
                "kept",
                "default/kept is paused by its annotation controller-manager.io/paused=including-deletion. Remove the"
                        + " annotation to have it reconciled.");
    }

    @Test
    void beingDeletedWithAFinalizerOfSomebodyElse() throws ApiException {
        create("shop", new V1ObjectMeta().name("finalized").addFinalizersItem("example.com/theirs"));
        maps.delete(NAMESPACE, "finalized");
        says(
                "shop",
                "finalized",
                "default/finalized is being deleted, and waits until each of these finalizers is removed by whoever has"
                        + " set it: example.com/theirs.");
    }

    @Test
    void failed() throws ApiException {
        create("shop", "failing");
        says(
                "shop",
                "failing",
                "default/failing is reconciled in N s, since its last reconcile failed with HTTP 404. See"
                        + " /actuator/controllers/shop/errors and the log." + AT_ONCE);
    }

    @Test
    void askedToBeRepeated() throws ApiException {
        create("shop", "repeated");
        says(
                "shop",
                "repeated",
                "default/repeated is reconciled in N s, since its last reconcile failed or asked to be repeated. See"
                        + " /actuator/controllers/shop/errors and the log." + AT_ONCE);
    }

    @Test
    void failedForGood() throws ApiException {
        create("shop", "hopeless");
        says(
                "shop",
                "hopeless",
                "default/hopeless is not tried again before it changes, since its last reconcile failed with"
                        + " io.controllermanager.controller.TerminalException. See /actuator/controllers/shop/errors and the log."
                        + AT_ONCE);
    }

    @Test
    void askedToComeLater() throws ApiException {
        create("shop", "again");
        says(
                "shop",
                "again",
                "default/again is reconciled in N s, as its last reconcile asked for. A change of the object brings it at"
                        + " once.");
    }

    @Test
    void inAReconcileThatDoesNotEnd() throws ApiException {
        create("shop", "hanging");
        says(
                "shop",
                "hanging",
                "default/hanging has been in a reconcile for N s. If that does not end,"
                        + " controller-manager.controller.shop.reconcile-timeout interrupts it, and the log tells where"
                        + " it hangs.");
    }

    @Test
    void changedDuringAReconcileThatDoesNotEnd() throws ApiException {
        create("shop", "hanging-and-changed");
        String begin = "default/hanging-and-changed has been in a reconcile for N s";
        String end =
                ". If that does not end, controller-manager.controller.shop.reconcile-timeout interrupts it, and the"
                        + " log tells where it hangs.";
        says("shop", "hanging-and-changed", begin + end);
        maps.patch(NAMESPACE, "hanging-and-changed", new Patch.Merge("{\"data\":{\"a\":\"b\"}}"));
        says("shop", "hanging-and-changed", begin + ", and comes once more after it" + end);
    }

    @Test
    void behindOthers() throws ApiException {
        create("busy", "first");
        says(
                "busy",
                "first",
                "default/first has been in a reconcile for N s. If that does not end,"
                        + " controller-manager.controller.busy.reconcile-timeout interrupts it, and the log tells where"
                        + " it hangs.");
        create("busy", "second");
        says(
                "busy",
                "second",
                "default/second has waited N s for one of 1 workers at priority 0, with 0 other keys. If that grows, raise"
                        + " controller-manager.controller.busy.workers.");
    }

    @Test
    void changedTooSoon() throws ApiException {
        create("rare", "edited");
        says("rare", "edited", atRest("edited"));
        maps.patch(NAMESPACE, "edited", new Patch.Merge("{\"data\":{\"a\":\"b\"}}"));
        says(
                "rare",
                "edited",
                "default/edited is reconciled in N s, since controller-manager.controller.rare.min-interval has not"
                        + " passed yet." + AT_ONCE);
    }

    @Test
    void foughtOver() throws ApiException {
        create("contested", "fought-over");
        says(
                "contested",
                "fought-over",
                "default/fought-over is reconciled in N s, since somebody changes back what the controller writes. After"
                        + " that, an Event WritesUndone of what it writes names who: one of the two must let go.");
    }

    @Test
    void notThere() {
        says(
                "shop",
                "absent",
                "Controller shop has no object default/absent in its cache of configmaps/v1 with labels for = shop: see"
                        + " whether it exists and fits.");
    }

    @Test
    void notSelected() throws ApiException {
        create("somebody", "other");
        says(
                "shop",
                "other",
                "Controller shop has no object default/other in its cache of configmaps/v1 with labels for = shop: see"
                        + " whether it exists and fits.");
    }

    @Test
    void leftOutByThePredicate() throws ApiException {
        create("shop", "ignored");
        says(
                "shop",
                "ignored",
                "default/ignored waits for nothing, and no reconcile of it is remembered here: it was long ago, or the"
                        + " controller's predicate leaves the object out." + AT_ONCE);
    }

    @Test
    void ofAControllerThatIsOff() {
        says(
                "off",
                "a",
                "Controller off is switched off. It runs if controller-manager.controllers names it and"
                        + " controller-manager.controller.off.enabled is not false.");
    }

    @Test
    void ofAControllerThatIsPaused() {
        operate("halted", "pause");
        says(
                "halted",
                "a",
                "Controller halted is paused by an operator. Use the action resume of /actuator/controllers/halted, or"
                        + " restart this process.");
    }

    @Test
    void ofAControllerThatIsStopped() {
        operate("ended", "stop");
        says(
                "ended",
                "a",
                "Controller ended is stopped. Use the action start of /actuator/controllers/ended, or restart this"
                        + " process.");
    }

    private void operate(String controller, String action) {
        await(action)
                .until(() -> replica.endpoint()
                                .operate(controller, action, null, null)
                                .getStatus()
                        == 200);
    }

    @Test
    void ofAControllerThatHasFailed() {
        says(
                "broken",
                "a",
                "Controller broken has failed: could not be started: java.lang.IllegalStateException: no licence. Mend"
                        + " that, and use the action start of /actuator/controllers/broken, or restart this process.");
    }

    @Test
    void ofATypeThatIsMissing() {
        says(
                "widgets",
                "a",
                "Controller widgets waits for its types: the API server does not serve widgets.example.com/v1. If a CRD"
                        + " is missing, install it.");
    }

    @Test
    void ofAControllerWithWorkersOfItsOwn() {
        says(
                "foreign",
                "a",
                "Controller foreign brings its own workers, so that nothing is known of a single key. See the log.");
    }

    @Test
    void withoutTheNamespaceThatItsTypeHas() {
        replica.says(
                "shop",
                "-",
                "a",
                "OperationError[error=key must be namespace/name, since configmaps/v1 is namespaced, but is \"a\"]");
    }

    @Test
    void ofAShardThatAnotherReplicaHas() throws ApiException {
        Shards shards = new Shards(2, Shards.By.NAME);
        String theirs = Stream.iterate(0, i -> i + 1)
                .map(i -> "divided-" + i)
                .filter(name -> shards.of(NAMESPACE, name, null) == 1)
                .findFirst()
                .orElseThrow();
        create("by-name", theirs);
        says("by-name", theirs, "Replica another works on shard 1 of controller by-name. Ask that one.");
    }

    @Test
    void ofAShardByUidThatAnotherReplicaHas() throws ApiException {
        Shards shards = new Shards(2, Shards.By.UID);
        for (int i = 0; true; i++) {
            V1ConfigMap made = create("by-uid", "uid-" + i);
            String uid = Objects.requireNonNull(made.getMetadata()).getUid();
            if (shards.of(NAMESPACE, "uid-" + i, uid) == 1) {
                says(
                        "by-uid",
                        "uid-" + i,
                        "Controller by-uid has no object default/uid-" + i
                                + " in its cache of configmaps/v1 with labels"
                                + " for = by-uid: see whether it exists and fits, or ask another replica.");
                return;
            }
        }
    }

    @Test
    void askedOnAStandby() throws ApiException {
        hold("held");
        AskedReplica standby = start("leader-election.resource-name=held");
        standby.says("shop", NAMESPACE, "any", "Replica another works on controller shop. Ask that one.");
    }

    /** A client-java controller whose workers the host knows nothing of. */
    private record ForeignWorkers(CountDownLatch end) implements Controller {

        @Override
        public void run() {
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void shutdown() {
            end.countDown();
        }
    }
}
