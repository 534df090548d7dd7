package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an object is to be deleted, and what this makes of it (apiserver, registry/rest/delete.go and
 * registry/generic/registry/store.go).
 *
 * @param policy {@code Background}, {@code Foreground} or {@code Orphan}; empty for what the object's finalizers say
 * @param grace how many seconds a Pod has to end; null for as many as it says itself
 */
record Deletion(String policy, @Nullable Long grace) {

    static final Deletion PLAIN = new Deletion("", null);
    static final Deletion BACKGROUND = new Deletion("Background", null);
    static final Deletion FOREGROUND = new Deletion("Foreground", null);

    /** Whether objects of a resource are seen to end, and may take their time. */
    static boolean isGraceful(String resource) {
        return resource.equals("pods");
    }

    /** Marks an object as one that is to be deleted. Leaves it as it is if it ends already, and no earlier by this. */
    void mark(String resource, ObjectNode object, Instant now) {
        ObjectNode metadata = Meta.of(object);
        boolean begun = Meta.isBeingDeleted(object);
        long last = metadata.path("deletionGracePeriodSeconds").asLong();
        long period = 0;
        Instant end = now;
        if (begun) {
            end = Instant.parse(Meta.text(object, "deletionTimestamp"));
            if (last > 0) {
                period = orElse(last);
                if (period >= last) {
                    return;
                }
                end = end.plusSeconds(period - last);
                if (end.isBefore(now)) {
                    end = now;
                    period = Math.min(period, 1);
                }
            }
            end = last == 0 && end.isAfter(now) ? now : end;
        } else if (isGraceful(resource)) {
            // What is on no node, or has ended there, needs no time (pkg/registry/core/pod/strategy.go).
            boolean runs = Json.fits(object, "status/phase!=Succeeded|Failed?spec/nodeName!=");
            JsonNode given = object.at("/spec/terminationGracePeriodSeconds");
            period = runs ? orElse(given.asLong()) : 0;
            end = now.plusSeconds(period);
        }
        setFinalizers(resource, object);
        metadata.put("deletionTimestamp", end.toString());
        boolean counts = !resource.equals("namespaces") && !resource.equals(Definitions.CRDS);
        if (counts && (!begun || period != last)) {
            metadata.put("deletionGracePeriodSeconds", period);
        }
        if (counts && !begun && metadata.path("generation").asLong() > 0) {
            metadata.put("generation", metadata.path("generation").asLong() + 1);
        }
    }

    private long orElse(long otherwise) {
        long seconds = grace == null ? otherwise : grace;
        return seconds < 0 ? 1 : seconds;
    }

    private void setFinalizers(String resource, ObjectNode object) {
        // An Event has no dependents, and a definition no policy.
        String asked = resource.equals("events") ? "Background" : resource.equals(Definitions.CRDS) ? "" : policy;
        if (!asked.isEmpty()) {
            List<String> both = List.of(GarbageCollector.ORPHAN, GarbageCollector.FOREGROUND);
            int its = List.of("Orphan", "Foreground").indexOf(asked);
            Meta.changeFinalizers(object, both, its < 0 ? "" : both.get(its));
        }
    }
}
