package io.controllermanager.test;

import io.controllermanager.apiserver.writes.RecordedWrite;
import io.controllermanager.apiserver.writes.WriteRecording;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Which writes count, and how they are told of. */
final class Writes {

    /** What a host writes beside its controllers' work. */
    static final Set<String> NOT_COUNTED = Set.of("events", "events.events.k8s.io", "leases.coordination.k8s.io");

    /** So many writes of one object while controllers converge are a loop. */
    private static final int LOOP = 40;

    private static final int DESCRIBED = 4;

    private Writes() {}

    static List<RecordedWrite> counted(WriteRecording recording) {
        return recording.writes().stream()
                // Nor what the server writes of its own accord.
                .filter(write -> !NOT_COUNTED.contains(write.resource())
                        && !write.userAgent().isEmpty())
                .toList();
    }

    /** The last writes of an object that is written again and again; empty if there is none. */
    static List<RecordedWrite> loop(List<RecordedWrite> writes) {
        Map<String, List<RecordedWrite>> byObject = new HashMap<>();
        for (RecordedWrite write : writes) {
            List<RecordedWrite> same = byObject.computeIfAbsent(object(write), key -> new ArrayList<>());
            same.add(write);
            if (same.size() > LOOP) {
                return same.subList(LOOP - 1, LOOP + 1);
            }
        }
        return List.of();
    }

    private static String object(RecordedWrite write) {
        return write.resource() + " " + write.namespace() + "/" + write.name();
    }

    /** The first few, each with what it changed. */
    static String describe(List<RecordedWrite> writes) {
        return (writes.size() == 1 ? "1 write:" : writes.size() + " writes:")
                + writes.stream()
                        .limit(DESCRIBED)
                        .map(write -> "\n  " + write
                                + Differences.between(write.before(), write.after()).stream()
                                        .map(line -> "\n    " + line)
                                        .collect(Collectors.joining()))
                        .collect(Collectors.joining())
                + (writes.size() > DESCRIBED ? "\n  …" : "");
    }
}
