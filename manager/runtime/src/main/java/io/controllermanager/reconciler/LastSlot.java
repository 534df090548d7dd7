package io.controllermanager.reconciler;

import io.controllermanager.event.EventPredicate;
import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.common.KubernetesObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an annotation records of a schedule: {@code 2026-03-01T01:00:00Z 0 2 * * * Europe/Berlin}.
 *
 * @param time the slot that was run last, or when the schedule was seen to be another one; slots up to then are done with
 * @param schedule the schedule's text
 */
record LastSlot(Instant time, String schedule) {

    private static final String DOMAIN = "schedule.controller-manager/";

    /** The annotation's name is as long as the API server allows after the domain. */
    private static final String NAME = "[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?";

    /**
     * The annotation of a schedule.
     *
     * @throws IllegalArgumentException if the name can be no part of an annotation's
     */
    static String annotation(String controller, String name) {
        String known = controller + "." + name;
        if (name.isEmpty() || !known.matches(NAME)) {
            throw new IllegalArgumentException(
                    "the schedule \"" + name + "\" of controller \"" + controller
                            + "\" must have a name of letters, digits and hyphens; with the controller's it may have 62 characters");
        }
        return DOMAIN + known;
    }

    /**
     * What an annotation says, null for nothing.
     *
     * @throws IllegalArgumentException if a hand has written something else there
     */
    static @Nullable LastSlot of(String annotation, @Nullable String value) {
        if (value == null) {
            return null;
        }
        String[] words = value.split(" ", 2);
        try {
            return new LastSlot(Instant.parse(words[0]), words.length == 1 ? "" : words[1]);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "the annotation " + annotation + " must begin with a time such as 2026-03-01T02:00:00Z, but is \""
                            + value + "\"",
                    e);
        }
    }

    /** Skips updates that leave the annotations as they were, but for what they record of schedules. */
    static <T extends KubernetesObject> EventPredicate<T> otherAnnotationsChanged() {
        return event -> !(event instanceof ResourceEvent.Updated<T> update)
                || !others(update.before()).equals(others(update.object()));
    }

    private static Map<String, String> others(KubernetesObject object) {
        Map<String, String> others =
                new HashMap<>(Objects.requireNonNullElse(object.getMetadata().getAnnotations(), Map.of()));
        others.keySet().removeIf(name -> name.startsWith(DOMAIN));
        return others;
    }

    @Override
    public String toString() {
        return time + " " + schedule;
    }
}
