package io.controllermanager.informer.faults;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What goes wrong between the informer and the server, whichever it is. */
final class NetworkMechanisms {

    /** As long as anybody has to wait for a route to come back. */
    private static final Duration LONGEST_HALF_OPEN = Duration.ofMinutes(5);

    private NetworkMechanisms() {}

    /** Those that mean something on each server. */
    static List<Mechanism> all() {
        List<Mechanism> all = new ArrayList<>();
        all.add(Mechanism.of("connection closed (FIN)", scene -> {
            for (int i = scene.times(1, 5); i > 0; i--) {
                cut(scene, false);
            }
        }));
        all.add(Mechanism.of("connection reset (RST)", scene -> {
            for (int i = scene.times(1, 5); i > 0; i--) {
                cut(scene, true);
            }
        }));
        all.add(Mechanism.of("every connection dies after 10 KB, mid-event", scene -> {
            int times = scene.times(5, 40);
            long before = scene.proxy().cuts();
            scene.proxy().cutAfter(10_000);
            scene.until(times + " connections die", () -> scene.proxy().cuts() - before >= times);
            scene.proxy().restore();
            scene.evidence("connections cut", scene.proxy().cuts() - before);
        }));
        all.add(Mechanism.of("cut in the midst of an object of 1.4 MB", scene -> {
            long before = scene.proxy().cuts();
            scene.proxy().cutAfter(300_000);
            writeLarge(scene);
            scene.until("the connection dies", () -> scene.proxy().cuts() > before);
            scene.proxy().restore();
            scene.evidence("connections cut", scene.proxy().cuts() - before);
            untilLargeHasComeAndGone(scene);
        }));
        all.add(Mechanism.of("an object of 1.4 MB", scene -> {
            writeLarge(scene);
            scene.evidence("bytes as the server sends it", storedBytes(scene));
            untilLargeHasComeAndGone(scene);
        }));
        all.add(Mechanism.of(
                "half-open: all is lost both ways",
                scene -> halfOpen(scene, scene.length(Duration.ZERO, LONGEST_HALF_OPEN))));
        all.add(Mechanism.of("half-open: what the server sends is lost", scene -> {
            long givenUp = scene.proxy().givenUp();
            long swallowed = scene.proxy().swallowed();
            long begun = System.nanoTime();
            scene.proxy().swallow(false, true);
            scene.until(
                    "the informer gives the connection up", () -> scene.proxy().givenUp() > givenUp);
            scene.found(begun);
            scene.proxy().restore();
            scene.evidence("bytes lost", scene.proxy().swallowed() - swallowed);
        }));
        all.add(Mechanism.of("new connections are a black hole", scene -> {
            long swallowed = scene.proxy().swallowed();
            scene.proxy().swallow(true, true);
            scene.proxy().cut();
            scene.until("a request is lost", () -> scene.proxy().swallowed() > swallowed);
            scene.pass(scene.length(Duration.ZERO, Duration.ofSeconds(60)));
            scene.proxy().restore();
            scene.evidence("bytes lost", scene.proxy().swallowed() - swallowed);
        }));
        all.add(Mechanism.of("the line stands still and goes on", scene -> {
            long held = scene.proxy().held();
            scene.proxy().hold();
            scene.until("bytes wait", () -> scene.proxy().held() > held);
            scene.writes(scene.times(400, 2000));
            scene.proxy().restore();
            scene.evidence("bytes that waited", scene.proxy().held() - held);
        }));
        all.add(Mechanism.of("a line of 3 KB/s", scene -> {
            long before = scene.proxy().trickled();
            long goal = before + scene.times(10_000, 200_000);
            scene.proxy().trickle();
            scene.until("bytes trickle", () -> scene.proxy().trickled() >= goal);
            scene.proxy().restore();
            scene.evidence("bytes that trickled", scene.proxy().trickled() - before);
        }));
        all.add(Mechanism.of("connections refused", scene -> {
            long before = scene.proxy().cuts();
            scene.proxy().refuse();
            scene.until("it is not connected", () -> !scene.rig().status().connected());
            scene.pass(scene.length(Duration.ofSeconds(2), Duration.ofMinutes(2)));
            scene.evidence("connections cut", scene.proxy().cuts() - before);
            scene.proxy().restore();
        }));
        all.add(Mechanism.of("connections accepted and closed at once", scene -> {
            long before = scene.proxy().greeted();
            int times = scene.times(3, 20);
            scene.proxy().greet("");
            scene.until("some are closed", () -> scene.proxy().greeted() - before >= times);
            scene.evidence("connections closed at once", scene.proxy().greeted() - before);
            scene.proxy().restore();
        }));
        all.add(Mechanism.of("somebody else answers on the port", scene -> {
            long before = scene.proxy().greeted();
            int times = scene.times(3, 20);
            scene.proxy().greet("SSH-2.0-OpenSSH_9.7\r\n");
            scene.until("some are answered", () -> scene.proxy().greeted() - before >= times);
            scene.evidence("connections answered with garbage", scene.proxy().greeted() - before);
            scene.proxy().restore();
        }));
        all.add(Mechanism.of("the wall clock jumps by an hour, to and fro", scene -> {
            try {
                for (int i = scene.times(1, 3); i > 0; i--) {
                    scene.rig().clock().setOff(Duration.ofHours(1));
                    cut(scene, false);
                    scene.rig().clock().setOff(Duration.ofHours(-1));
                    cut(scene, false);
                }
            } finally {
                scene.rig().clock().setOff(Duration.ZERO);
            }
            scene.evidence("readings of a wrong clock", scene.rig().clock().wrongReadings());
        }));
        all.add(Mechanism.of("2,000 updates as fast as they go", scene -> {
            scene.begun();
            int count = scene.times(2_000, 6_000);
            long begun = System.nanoTime();
            scene.evidence("updates answered", scene.world().writers().burst(count, 8));
            scene.evidence("of them a second", count * 1_000_000_000L / Math.max(1, System.nanoTime() - begun));
        }));
        all.add(Mechanism.of("all objects deleted while it is cut off", scene -> {
            long before = scene.proxy().cuts();
            scene.proxy().refuse();
            scene.until("it is not connected", () -> !scene.rig().status().connected());
            long there = scene.world()
                    .asked(() -> scene.world().at(scene.world().version()))
                    .size();
            scene.world()
                    .asked(() -> scene.world()
                            .api()
                            .deleteCollectionNamespacedConfigMap(scene.world().namespace())
                            .labelSelector("kind=usual")
                            .execute());
            scene.proxy().restore();
            scene.evidence("connections cut", scene.proxy().cuts() - before);
            scene.evidence("objects that were there", there);
        }));
        return all;
    }

    /** Half-open as long as it ever is, however brief the rest; a real server may not remember what was before. */
    static Mechanism longHalfOpen() {
        return Mechanism.mayExpire(
                "half-open for " + LONGEST_HALF_OPEN.toMinutes() + " minutes: all is lost both ways",
                scene -> halfOpen(scene, LONGEST_HALF_OPEN));
    }

    /** For so long, or until the informer has found out if that takes longer. */
    private static void halfOpen(Scene scene, Duration length) throws InterruptedException {
        long givenUp = scene.proxy().givenUp();
        long swallowed = scene.proxy().swallowed();
        long begun = System.nanoTime();
        scene.proxy().swallow(true, true);
        scene.until("the informer gives the connection up", () -> scene.proxy().givenUp() > givenUp);
        scene.found(begun);
        Duration left = length.minusNanos(System.nanoTime() - begun);
        scene.pass(left.isNegative() ? Duration.ZERO : left);
        scene.proxy().restore();
        scene.evidence("bytes lost", scene.proxy().swallowed() - swallowed);
        scene.evidence("connections given up", scene.proxy().givenUp() - givenUp);
    }

    /** Ends the connection once it carries a watch, and waits until that has been opened anew. */
    static void cut(Scene scene, boolean reset) {
        scene.until("a watch is open", () -> scene.rig().status().connected());
        long before = scene.proxy().cuts();
        scene.rig().cutOff(reset);
        scene.evidence("connections cut", scene.proxy().cuts() - before);
    }

    private static String largeName(Scene scene) {
        return "large-" + scene.rig().userAgent().replace('/', '-');
    }

    private static long storedBytes(Scene scene) throws Exception {
        return scene.world().asked(() -> scene.world().bytes(largeName(scene)));
    }

    /**
     * As large as the API server takes it: 1 MiB of data and 256 KiB of annotations, which etcd, whose limit is 1.5 MiB,
     * holds as they are, and JSON with a backslash before each quotation mark.
     */
    private static void writeLarge(Scene scene) throws Exception {
        V1ConfigMap large = new V1ConfigMap()
                .metadata(new V1ObjectMeta()
                        .name(largeName(scene))
                        .namespace(scene.world().namespace())
                        .annotations(Map.of("test/much", "x".repeat(250_000))))
                .data(Map.of("value", "xxxxx\"".repeat(170_000)));
        scene.world().asked(() -> scene.world().writers().create(large));
    }

    private static void untilLargeHasComeAndGone(Scene scene) throws Exception {
        String name = largeName(scene);
        String key = scene.world().namespace() + "/" + name;
        try {
            scene.until(
                    "the object has come",
                    () -> scene.rig().informer().getIndexer().getByKey(key) != null);
        } finally {
            scene.world().asked(() -> scene.world().writers().delete(name));
        }
    }
}
