package io.controllermanager.informer.faults;

import io.controllermanager.apiserver.faults.Fault;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** What a server does wrong, on demand. */
final class EmbeddedMechanisms {

    private static final String ERROR = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
            + "\"status\":\"Failure\",\"message\":\"%s\",\"reason\":\"%s\",\"code\":%d}}\n";

    private EmbeddedMechanisms() {}

    /** Those that strike one rig's requests and nobody else's. */
    static List<Mechanism> all() {
        List<Mechanism> all = new ArrayList<>();
        addCuts(all);
        addSilences(all);
        addRefusals(all);
        addNonsense(all);
        addExpiries(all);
        addLists(all);
        return all;
    }

    /** Those after which nobody can go on from what was before. */
    static List<Mechanism> compactions() {
        List<Mechanism> all = new ArrayList<>();
        all.add(Mechanism.expiring("compacted while it is cut off", scene -> {
            long before = scene.proxy().cuts();
            scene.proxy().refuse();
            scene.until("it is not connected", () -> !scene.rig().status().connected());
            scene.writes(scene.times(100, 5_000));
            long behind = scene.rig().version();
            long compacted = scene.embedded().compact();
            scene.evidence("connections cut", scene.proxy().cuts() - before);
            scene.evidence("versions behind what is kept", compacted - behind);
            scene.proxy().restore();
        }));
        all.add(Mechanism.expiring("compacted under a watch that lags", scene -> {
            // Slower than any machine writes, and never silent; it may read on once the history has gone on without it.
            Fault fault = scene.watches().times(1).slowReader(Duration.ofSeconds(1));
            scene.cutOff();
            scene.until("a watch lags", () -> fault.hits() >= 1);
            BooleanSupplier told = scene.toldExpired();
            scene.writes(300);
            scene.embedded().compact();
            scene.strikes(fault, 1);
            scene.until("it is told so", told::getAsBoolean);
        }));
        return all;
    }

    private static void addCuts(List<Mechanism> all) {
        all.add(Mechanism.of("watch cut between two events", scene -> {
            int times = scene.times(5, 30);
            struck(scene, scene.watches().times(times).closeAfterEvents(7), times);
        }));
        all.add(Mechanism.of("watch cut in the midst of an event", scene -> {
            int times = scene.times(5, 30);
            struck(scene, scene.watches().times(times).closeAfterBytes(2_345), times);
        }));
        all.add(Mechanism.of("watch cut after the answer's headers", scene -> {
            int times = scene.times(2, 4);
            struck(scene, scene.watches().times(times).closeAfterEvents(0), times);
        }));
        all.add(Mechanism.of("watch limited to one second", scene -> {
            int times = scene.times(3, 20);
            long before = scene.proxy().shortened();
            long ends = scene.rig().ends("regular");
            scene.proxy().shortLimits();
            scene.cutOff();
            scene.until("watches end in order", () -> scene.rig().ends("regular") - ends >= times);
            scene.evidence("requests with one second", scene.proxy().shortened() - before);
            scene.proxy().restore();
            // The last of them is still short.
        }));
    }

    private static void addSilences(List<Mechanism> all) {
        all.add(Mechanism.of("watch answered late", scene -> {
            int times = scene.times(1, 5);
            Fault fault =
                    scene.watches().times(times).delay(scene.length(Duration.ofSeconds(2), Duration.ofSeconds(4)));
            for (int i = 1; i <= times; i++) {
                int expected = i;
                scene.cutOff();
                scene.until("a watch is late", () -> fault.hits() >= expected);
                scene.until("it is answered", () -> scene.rig().status().connected());
            }
            scene.strikes(fault, times);
        }));
        all.add(Mechanism.of("watch never answered", scene -> {
            long begun = System.nanoTime();
            Fault fault = scene.watches().times(1).hang();
            scene.cutOff();
            scene.until("a watch gets no answer", () -> fault.hits() == 1);
            scene.until("another is tried", () -> scene.rig().status().connected());
            scene.found(begun);
            scene.strikes(fault, 1);
        }));
        all.add(Mechanism.of("watch falls silent", scene -> {
            Fault fault = scene.watches().times(1).hangAfterEvents(20);
            scene.cutOff();
            scene.until("a watch falls silent", () -> fault.hits() == 1);
            long begun = System.nanoTime();
            long ends = scene.rig().ends("silent");
            scene.until("it is given up", () -> scene.rig().ends("silent") > ends);
            scene.found(begun);
            scene.strikes(fault, 1);
        }));
    }

    private static void addRefusals(List<Mechanism> all) {
        all.add(Mechanism.of("429 with Retry-After", scene -> {
            int times = scene.times(4, 6);
            struck(scene, scene.watches().times(times).respond(429, Duration.ofSeconds(1)), times);
        }));
        all.add(Mechanism.of("429 without Retry-After", scene -> {
            int times = scene.times(3, 4);
            struck(scene, scene.watches().times(times).respond(429), times);
        }));
        all.add(Mechanism.of("500, 503 and 504 in turn", scene -> {
            for (int i = scene.times(1, 2); i > 0; i--) {
                Fault first = scene.watches().times(1).respond(500);
                Fault second = scene.watches().times(1).respond(503);
                Fault third = scene.watches().times(1).respond(504);
                scene.cutOff();
                scene.strikes(first, 1);
                scene.strikes(second, 1);
                scene.strikes(third, 1);
            }
        }));
        all.add(Mechanism.of("401 for a while", scene -> {
            int times = scene.times(2, 4);
            struck(scene, scene.watches().times(times).respond(401), times);
        }));
        all.add(Mechanism.refusing("404 for a while, as of a type not served", scene -> {
            int times = scene.times(2, 6);
            struck(scene, scene.watches().times(times).respond(404), times);
        }));
    }

    private static void addNonsense(List<Mechanism> all) {
        all.add(Mechanism.of("garbled JSON", scene -> {
            int times = scene.times(4, 20);
            byte[] garbage =
                    "{\"type\":\"MODIFIED\",\"object\":{\"meta\u0000data\":}{[\n".getBytes(StandardCharsets.UTF_8);
            struck(
                    scene,
                    scene.watches()
                            .times(times)
                            .replaceEvents((before, event) -> List.of(before == 5 ? garbage : event)),
                    times);
        }));
        all.add(Mechanism.of("half an event, and the next line", scene -> {
            int times = scene.times(4, 20);
            struck(
                    scene,
                    scene.watches()
                            .times(times)
                            .replaceEvents((before, event) -> List.of(before == 5 ? half(event) : event)),
                    times);
        }));
        all.add(Mechanism.of("an event of unknown type", scene -> {
            int times = scene.times(4, 20);
            struck(
                    scene,
                    scene.watches()
                            .times(times)
                            .replaceEvents((before, event) -> List.of(before == 5 ? ofUnknownType(event) : event)),
                    times);
        }));
        all.add(Mechanism.of("events sent twice", scene -> {
            Fault fault = scene.watches().replaceEvents((before, event) -> List.of(event, event));
            scene.cutOff();
            scene.until("events come twice", () -> fault.hits() >= 1);
            scene.writes(scene.times(200, 4_000));
            scene.strikes(fault, 1);
        }));
        all.add(Mechanism.of("bookmarks dropped", scene -> {
            Fault fault = scene.watches().dropBookmarks();
            scene.cutOff();
            scene.until("a bookmark is dropped", () -> fault.hits() >= 1);
            scene.cutOff();
            scene.strikes(fault, 1);
        }));
        all.add(Mechanism.of("bookmarks sent twice", scene -> {
            Fault fault = scene.watches().repeatBookmarks();
            scene.cutOff();
            scene.until("a bookmark comes twice", () -> fault.hits() >= 1);
            scene.cutOff();
            scene.strikes(fault, 1);
        }));
        all.add(Mechanism.of("an ERROR event with 500 in mid-watch", scene -> {
            int times = scene.times(3, 5);
            struck(
                    scene,
                    scene.watches()
                            .times(times)
                            .replaceEvents((before, event) -> List.of(
                                    before == 5 ? error("etcdserver: leader changed", "InternalError", 500) : event)),
                    times);
        }));
    }

    private static void addExpiries(List<Mechanism> all) {
        all.add(Mechanism.expiring(
                "410 at a watch's start",
                scene -> struck(scene, scene.watches().times(1).gone(), 1)));
        all.add(Mechanism.expiring("410 in mid-watch", scene -> {
            // A watch may end before it has read that: the next one is told as well.
            BooleanSupplier told = scene.toldExpired();
            Fault fault = scene.watches()
                    .replaceEvents((before, event) -> List.of(
                            before == 5 && !told.getAsBoolean()
                                    ? error("too old resource version: 1 (2)", "Expired", 410)
                                    : event));
            scene.cutOff();
            scene.until("it is told so", told::getAsBoolean);
            scene.strikes(fault, 1);
        }));
    }

    private static void addLists(List<Mechanism> all) {
        all.add(Mechanism.expiring("WatchList cut in the midst of the initial state", scene -> {
            someObjects(scene);
            Fault gone = scene.watches().times(1).gone();
            Fault cut = scene.watches().times(1).closeAfterEvents(50);
            scene.cutOff();
            scene.strikes(gone, 1);
            scene.strikes(cut, 1);
        }));
        all.add(Mechanism.expiring("WatchList refused, and a page of the list expires", scene -> {
            someObjects(scene);
            AtomicInteger pages = new AtomicInteger();
            Fault gone = scene.watches().times(1).gone();
            // As often as it is asked for: a refusal that does not arrive is followed by no list.
            Fault refused = scene.watches().respond(500);
            Fault expired = scene.embedded()
                    .faults()
                    .when(scene.lists().where(target -> pages.incrementAndGet() >= 3))
                    .times(1)
                    .respond(410);
            scene.cutOff();
            scene.strikes(gone, 1);
            scene.strikes(expired, 1);
            scene.strikes(refused, 1);
        }));
        all.add(Mechanism.expiring("WatchList refused, and the list is cut and refused", scene -> {
            someObjects(scene);
            Fault gone = scene.watches().times(1).gone();
            Fault refused = scene.watches().respond(503);
            Fault unavailable =
                    scene.embedded().faults().when(scene.lists()).times(1).respond(503);
            Fault cut = scene.embedded().faults().when(scene.lists()).times(1).closeAfterBytes(10_000);
            scene.cutOff();
            scene.strikes(gone, 1);
            scene.strikes(unavailable, 1);
            scene.strikes(cut, 1);
            scene.strikes(refused, 2);
        }));
        all.add(Mechanism.of("it starts from a state of a while ago", scene -> {
            // The writers' objects, some of which have changed since, and some gone.
            Fault stale = scene.embedded().faults().when(scene.lists()).times(1).staleBy(400);
            Fault refused = scene.watches().times(1).respond(500);
            scene.rig().startAnew();
            if (scene.rig().watchListFirst()) {
                scene.strikes(refused, 1);
            }
            refused.remove();
            scene.strikes(stale, 1);
        }));
        all.add(Mechanism.of("it starts while the server answers 503 and 429", scene -> {
            Fault watches = scene.watches().times(2).respond(503);
            Fault lists = scene.embedded().faults().when(scene.lists()).times(2).respond(429, Duration.ofSeconds(1));
            scene.rig().startAnew();
            scene.strikes(lists, 2);
            scene.strikes(watches, 1);
        }));
    }

    /** Enough for a list of several pages, which there are not yet when the writers have just begun. */
    private static void someObjects(Scene scene) {
        scene.until(
                "there are some pages of objects", () -> scene.rig().status().objects() > 3 * Rig.PAGE);
    }

    /** The fault strikes watches; the one that is open has not met it. */
    private static void struck(Scene scene, Fault fault, int times) {
        scene.cutOff();
        scene.strikes(fault, times);
    }

    private static byte[] half(byte[] event) {
        byte[] half = Arrays.copyOf(event, event.length / 2);
        half[half.length - 1] = '\n';
        return half;
    }

    private static byte[] ofUnknownType(byte[] event) {
        return new String(event, StandardCharsets.UTF_8)
                .replaceFirst("\"type\":\"[A-Z]+\"", "\"type\":\"RENAMED\"")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] error(String message, String reason, int code) {
        return ERROR.formatted(message, reason, code).getBytes(StandardCharsets.UTF_8);
    }
}
