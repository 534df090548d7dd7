package io.controllermanager.apiserver.world;

import static com.google.common.base.Preconditions.checkArgument;

import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** When a {@link Step} of some objects comes. At once, until it is told otherwise. For use by any thread. */
public final class Rule {

    /** What comes later never comes. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final World world;
    final Step step;
    private final String kind;
    private final String name;
    private final Map<String, Instant> since = new HashMap<>();
    private final Set<String> failed = new HashSet<>();
    /** Null for never. */
    private @Nullable Duration after = Duration.ZERO;

    int failures;

    Rule(World world, Step step, String kind, String name) {
        this.world = world;
        this.step = step;
        this.kind = kind;
        this.name = "(.*/)?\\Q" + name.replace("*", "\\E.*\\Q") + "\\E";
    }

    /**
     * The step comes so long after it could, by the server's clock; never, if that is centuries.
     *
     * @throws IllegalArgumentException for a negative time
     */
    public Rule after(Duration time) {
        checkArgument(!time.isNegative(), "A step comes after a time of 0 or more, but time is %s", time);
        return world.change(this, () -> after = time.compareTo(LONGEST) > 0 ? null : time);
    }

    /** The step does not come, until the rule is told otherwise. */
    public Rule never() {
        return world.change(this, () -> after = null);
    }

    /**
     * Pods fail first. Before {@link Step#READY} each Pod's containers are restarted so often. At {@link Step#COMPLETE} so
     * many Pods of all that the rule is for end with an error; where a Pod restarts its containers, each does so often.
     *
     * @throws IllegalArgumentException for another step, or less than 0 times
     */
    public Rule failing(int times) {
        boolean mayFail = step == Step.READY || step == Step.COMPLETE;
        checkArgument(mayFail, "Pods fail before READY or at COMPLETE, but this is %s", step);
        checkArgument(times >= 0, "Pods fail 0 times or more, but times is %s", times);
        return world.change(this, () -> failures = times);
    }

    boolean isFor(StoredObject object) {
        Key key = object.key();
        return (key.namespace() + "/" + key.name()).matches(name)
                && object.tree().path("kind").asText().equals(kind);
    }

    /** When a step comes that could since it was asked for first; {@link Instant#MAX} for never. */
    Instant due(String which, Instant now) {
        Instant begun = since.computeIfAbsent(which, first -> now);
        return after == null ? Instant.MAX : begun.plus(after);
    }

    /** Whether a Pod is one of those that are to fail. */
    boolean fails(String uid) {
        return failed.contains(uid) || (failed.size() < failures && failed.add(uid));
    }
}
