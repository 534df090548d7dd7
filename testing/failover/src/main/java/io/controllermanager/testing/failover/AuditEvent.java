package io.controllermanager.testing.failover;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the API server's audit log says of one request.
 *
 * @param received when the API server had it
 * @param completed when it was answered; of a watch, when it began
 * @param user who asked
 * @param verb what for
 * @param resource of what, without group
 * @param namespace of which, empty if it is in none
 * @param name of which, empty if it does not say
 * @param code the answer's
 * @param stamp when it came to the replica's fence, null if it carries no stamp
 * @param lease what a Lease of replicas was like afterwards, null if this is not about one or it was deleted
 */
record AuditEvent(
        Instant received,
        Instant completed,
        String user,
        String verb,
        String resource,
        String namespace,
        String name,
        int code,
        @Nullable Instant stamp,
        @Nullable LeaseState lease) {

    private static final Set<String> MUTATING = Set.of("create", "update", "patch", "delete", "deletecollection");

    /**
     * A Lease.
     *
     * @param holder its holder, empty if it has none
     * @param version its resourceVersion
     * @param renewed when its holder has renewed it, by the holder's wall clock; null if it does not say
     */
    record LeaseState(String holder, long version, @Nullable Instant renewed) {}

    /** What the log is to hold: changes, those of Leases with their outcome, who asks for Leases, and the begin of watches. */
    static String policy() {
        return """
                apiVersion: audit.k8s.io/v1
                kind: Policy
                omitStages: [RequestReceived]
                rules:
                - level: RequestResponse
                  verbs: [create, update, patch, delete]
                  resources: [{group: coordination.k8s.io, resources: [leases]}]
                - level: None
                  resources: [{group: events.k8s.io, resources: [events]}, {group: "", resources: [events]}]
                - level: Metadata
                  verbs: [create, update, patch, delete, deletecollection]
                - level: Metadata
                  verbs: [get]
                  resources: [{group: coordination.k8s.io, resources: [leases]}]
                - level: Metadata
                  verbs: [watch]
                  omitStages: [RequestReceived, ResponseComplete]
                - level: None
                """;
    }

    /**
     * Reads a line.
     *
     * @param clock what stamps are on the API server's clock
     * @throws JsonParseException if it is torn, as by a crash
     */
    static AuditEvent parse(String line, StampClock clock) {
        JsonObject event = JsonParser.parseString(line).getAsJsonObject();
        JsonObject object = object(event, "objectRef");
        return new AuditEvent(
                Instant.parse(text(event, "requestReceivedTimestamp")),
                Instant.parse(text(event, "stageTimestamp")),
                text(object(event, "user"), "username"),
                text(event, "verb"),
                text(object, "resource"),
                text(object, "namespace"),
                text(object, "name"),
                object(event, "responseStatus").has("code")
                        ? object(event, "responseStatus").get("code").getAsInt()
                        : 0,
                stamp(text(event, "userAgent"), clock),
                lease(text(event, "requestURI").contains("dryRun="), object, object(event, "responseObject")));
    }

    private static @Nullable Instant stamp(String userAgent, StampClock clock) {
        int at = userAgent.lastIndexOf(WatchedReplica.STAMP);
        return at < 0 ? null : clock.instant(Long.parseLong(userAgent.substring(at + WatchedReplica.STAMP.length())));
    }

    private static @Nullable LeaseState lease(boolean dryRun, JsonObject reference, JsonObject answer) {
        JsonObject metadata = object(answer, "metadata");
        // A dry run changes nothing.
        boolean ours = !dryRun
                && text(reference, "resource").equals("leases")
                && text(metadata, "namespace").equals(Launch.NAMESPACE)
                && text(metadata, "name").startsWith(Launch.LEASE);
        return ours && answer.has("spec")
                ? new LeaseState(
                        text(object(answer, "spec"), "holderIdentity"),
                        Long.parseLong(text(metadata, "resourceVersion")),
                        instant(text(object(answer, "spec"), "renewTime")))
                : null;
    }

    private static @Nullable Instant instant(String text) {
        return text.isEmpty() ? null : Instant.parse(text);
    }

    private static JsonObject object(JsonObject in, String field) {
        JsonElement element = in.get(field);
        return element == null || !element.isJsonObject() ? new JsonObject() : element.getAsJsonObject();
    }

    private static String text(JsonObject in, String field) {
        JsonElement element = in.get(field);
        return element == null || element.isJsonNull() ? "" : element.getAsString();
    }

    boolean succeeded() {
        return code >= 200 && code < 300;
    }

    /** Whether it asked for a change of something other than a Lease or an Event, whatever the answer. */
    boolean isWrite() {
        return MUTATING.contains(verb) && !resource.equals("leases") && !resource.equals("events");
    }

    /** Whether it changed a Lease of replicas. */
    boolean isLeaseWrite() {
        return lease != null && succeeded();
    }
}
