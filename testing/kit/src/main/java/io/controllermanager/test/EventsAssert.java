package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.ApiServer;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.AbstractAssert;

/** What is to hold of the Events about objects, each as {@code type reason}. */
public final class EventsAssert extends AbstractAssert<EventsAssert, List<ObjectNode>> {

    EventsAssert(ApiServer server) {
        this(server.objects().stream()
                .filter(object -> object.path("kind").asText().equals("Event"))
                .toList());
    }

    private EventsAssert(List<ObjectNode> events) {
        super(events, EventsAssert.class);
    }

    /** Only those about this very object, by uid. */
    public EventsAssert of(KubernetesObject object) {
        String uid =
                Objects.requireNonNull(object.getMetadata().getUid(), "the object has no uid: read it from the server");
        return new EventsAssert(actual.stream()
                .filter(event -> about(event).path("uid").asText().equals(uid))
                .toList());
    }

    /**
     * There is one.
     *
     * @param type Normal or Warning
     */
    public EventsAssert contains(String type, String reason) {
        if (told().stream().noneMatch((type + " " + reason)::equals)) {
            throw failure("There is no Event %s %s, but %s", type, reason, told());
        }
        return this;
    }

    /** There is none with this reason. */
    public EventsAssert doesNotContain(String reason) {
        if (actual.stream().anyMatch(event -> event.path("reason").asText().equals(reason))) {
            throw failure("There is an Event with the reason %s: %s", reason, told());
        }
        return this;
    }

    private List<String> told() {
        return actual.stream()
                .map(event ->
                        event.path("type").asText() + " " + event.path("reason").asText())
                .toList();
    }

    private static JsonNode about(ObjectNode event) {
        JsonNode regarding = event.path("regarding");
        return regarding.isMissingNode() ? event.path("involvedObject") : regarding;
    }
}
