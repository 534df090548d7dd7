package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.rights.InstalledOperator;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.ControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thousand Websites of an installed operator, and what it writes for them, by the audit log. They want no replicas: nothing
 * runs containers here, and so they are served at once. Not counted are the operator's Lease and its Events. For one thread.
 */
final class ManyWebsites {

    private static final Logger log = LoggerFactory.getLogger(ManyWebsites.class);

    private static final int MANY = 1000;
    private static final String CONTROLLER = "website";

    /** What each Website takes: its finalizer, its children and its status. */
    private static final List<String> OF_EACH = List.of(
            "patch websites", "patch configmaps", "patch deployments", "patch services", "patch websites/status");

    private final ControlPlane plane;
    private final InstalledOperator operator;
    private final String namespace;
    private final Path manifests;

    private Map<String, Long> writtenBefore;
    private long began;

    ManyWebsites(ControlPlane plane, InstalledOperator operator, Path directory) throws IOException {
        this.plane = plane;
        this.operator = operator;
        namespace = plane.createNamespace("websites");
        manifests = Files.writeString(directory.resolve("websites.yaml"), websites());
        begin();
    }

    void play() throws Exception {
        Programs.runOn(plane, "kubectl", "create", "-f", manifests.toString()).expectOut();
        await("all are served").until(this::areServed);
        Map<String, Long> ofAll = new TreeMap<>();
        OF_EACH.forEach(what -> ofAll.put(what, (long) MANY));
        expect("1,000 Websites are created", () -> true, ofAll);

        long before = operator.reconciles(CONTROLLER);
        for (int i = 0; i < MANY; i++) {
            operator.act(CONTROLLER, "{\"action\": \"reconcile\", \"key\": \"%s/site-%s\"}".formatted(namespace, i));
        }
        expect("each is reconciled again", () -> operator.reconciles(CONTROLLER) - before >= MANY, Map.of());

        long beforeStop = operator.reconciles(CONTROLLER);
        operator.act(CONTROLLER, "{\"action\": \"stop\"}");
        operator.act(CONTROLLER, "{\"action\": \"start\"}");
        // A controller that is started counts from the beginning.
        expect(
                "the controller stops, starts and lists all",
                () -> operator.reconciles(CONTROLLER) >= MANY && operator.reconciles(CONTROLLER) < beforeStop,
                Map.of());

        operator.killAndRestart();
        expect("the process is killed and starts again", () -> operator.reconciles(CONTROLLER) >= MANY, Map.of());

        kubectl("patch", "website/site-0", "--type=merge", "--patch={\"spec\": {\"html\": \"<h1>Bye</h1>\"}}");
        expect(
                "a page is edited",
                () -> kubectl("get", "website/site-0", "--output=jsonpath={.status.observedGeneration}")
                        .equals("2"),
                Map.of("patch configmaps", 1L, "patch deployments", 1L, "patch websites/status", 1L));

        kubectl("delete", "service/site-0");
        expect(
                "a Service is deleted",
                () -> kubectl("get", "service/site-0", "--ignore-not-found", "--output=name")
                        .contains("site-0"),
                Map.of("patch services", 1L));
    }

    /** Waits for something and until nothing is left to do, and looks at what was written since then. */
    private void expect(String what, Callable<Boolean> done, Map<String, Long> wanted) {
        await(what).ignoreExceptions().until(() -> done.call() && operator.isIdle(CONTROLLER));
        Map<String, Long> written = new TreeMap<>(operator.writes());
        writtenBefore.forEach((verb, times) -> written.merge(verb, -times, Long::sum));
        written.values().removeIf(times -> times == 0);
        log.info(
                "{}: {} s, {} reconciles so far, writes: {}",
                what,
                seconds(),
                operator.reconciles(CONTROLLER),
                written);
        assertThat(written).as(what).isEqualTo(wanted);
        begin();
    }

    private void begin() {
        writtenBefore = operator.writes();
        began = System.nanoTime();
    }

    private long seconds() {
        return (System.nanoTime() - began) / 1_000_000_000;
    }

    private boolean areServed() throws IOException, InterruptedException {
        return kubectl("get", "websites", "--output=jsonpath={.items[*].status.conditions[0].reason}")
                        .split(" ", -1)
                        .length
                == MANY;
    }

    private String kubectl(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--namespace=" + namespace);
        return Programs.runOn(plane, "kubectl", all.toArray(String[]::new)).expectOut();
    }

    private String websites() {
        return Stream.iterate(0, i -> i + 1)
                .limit(MANY)
                .map(i -> """
                        apiVersion: example.com/v1
                        kind: Website
                        metadata:
                          name: site-%1$s
                          namespace: %2$s
                        spec:
                          host: site-%1$s.example.com
                          html: <h1>Hello</h1>
                          replicas: 0
                        """.formatted(i, namespace))
                .reduce("", (all, one) -> all + "---\n" + one);
    }
}
