package io.controllermanager.informer.faults;

import io.controllermanager.testing.controlplane.ControlPlane;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What happens to the real server's processes, and to all who depend on them. One at a time. */
final class OutageMechanisms {

    private OutageMechanisms() {}

    static List<Mechanism> all() {
        List<Mechanism> all = new ArrayList<>();
        // A server that has been restarted has no cache of what was before.
        all.add(Mechanism.mayExpire("API server killed and restarted", scene -> {
            int before = starts(scene.plane());
            scene.plane().killApiServer();
            awayAndBack(scene, before);
        }));
        all.add(Mechanism.mayExpire("API server stopped in order and restarted", scene -> {
            int before = starts(scene.plane());
            scene.plane().stopApiServer();
            awayAndBack(scene, before);
        }));
        all.add(Mechanism.mayExpire("API server paused (SIGSTOP) until it is given up", scene -> {
            long watches = scene.rig().status().watches();
            long begun = System.nanoTime();
            scene.plane().pauseApiServer();
            try {
                long written = scene.world().writers().written();
                scene.until(
                        "the informer gives the connection up",
                        () -> scene.rig().status().watches() > watches
                                || !scene.rig().status().connected());
                scene.found(begun);
                scene.pass(scene.length(Duration.ZERO, Duration.ofMinutes(1)));
                // Those that were under way when it was paused, at most.
                scene.evidence(
                        "seconds in which hardly a write was answered",
                        scene.world().writers().written() - written < 100
                                ? Duration.ofNanos(System.nanoTime() - begun).toSeconds()
                                : 0);
            } finally {
                scene.plane().resumeApiServer();
            }
            scene.plane().awaitReady();
        }));
        all.add(Mechanism.mayExpire("etcd killed and restarted", scene -> {
            long failed = scene.world().writers().failed();
            scene.plane().killEtcd();
            try {
                scene.until("writes fail", () -> scene.world().writers().failed() > failed);
                scene.pass(scene.length(Duration.ofSeconds(1), Duration.ofSeconds(30)));
            } finally {
                scene.plane().startEtcd();
            }
            scene.plane().awaitReady();
            scene.evidence("writes refused", scene.world().writers().failed() - failed);
        }));
        all.add(Mechanism.mayExpire("etcd paused (SIGSTOP)", scene -> {
            long failed = scene.world().writers().failed();
            scene.plane().pauseEtcd();
            try {
                scene.until("writes fail", () -> scene.world().writers().failed() > failed);
                scene.pass(scene.length(Duration.ZERO, Duration.ofSeconds(30)));
            } finally {
                scene.plane().resumeEtcd();
            }
            scene.plane().awaitReady();
            scene.evidence("writes refused", scene.world().writers().failed() - failed);
        }));
        all.add(Mechanism.expiring("etcd compacted while it is cut off, and the API server restarted", scene -> {
            long cuts = scene.proxy().cuts();
            int starts = starts(scene.plane());
            scene.proxy().refuse();
            try {
                scene.until("it is not connected", () -> !scene.rig().status().connected());
                scene.writes(scene.times(100, 2_000));
                scene.plane().stopApiServer();
                long compacted = scene.plane().compactEtcd();
                scene.evidence(
                        "versions behind what etcd keeps",
                        compacted - scene.rig().version());
                scene.evidence("connections cut", scene.proxy().cuts() - cuts);
                scene.plane().startApiServer();
            } finally {
                scene.plane().startApiServer();
                scene.proxy().restore();
            }
            scene.evidence("starts in the server's log", starts(scene.plane()) - starts);
        }));
        return all;
    }

    private static void awayAndBack(Scene scene, int startsBefore) throws Exception {
        try {
            scene.until("it is not connected", () -> !scene.rig().status().connected());
            scene.pass(scene.length(Duration.ZERO, Duration.ofMinutes(1)));
        } finally {
            scene.plane().startApiServer();
        }
        scene.evidence("starts in the server's log", starts(scene.plane()) - startsBefore);
    }

    /** How often the server's own log says that it began to serve. */
    private static int starts(ControlPlane plane) throws java.io.IOException {
        return Files.readString(plane.log("kube-apiserver")).split("Serving securely on", -1).length - 1;
    }
}
