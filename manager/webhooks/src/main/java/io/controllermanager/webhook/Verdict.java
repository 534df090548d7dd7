package io.controllermanager.webhook;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Validator} says: a list of refusals, empty if the write is allowed, and warnings, which kubectl shows either way.
 *
 * <pre>{@code
 * return Verdict.allowed()
 *         .warn("spec.replicas is 1: the site is down while its node is drained")
 *         .invalid("spec.host", host, "is taken by " + other);
 * }</pre>
 *
 * @param refusals why the write is refused
 * @param warnings what is said besides; at most 120 characters each, or clients may cut it
 */
public record Verdict(List<Refusal> refusals, List<String> warnings) {

    private static final Verdict ALLOWED = new Verdict(List.of(), List.of());

    /** What is wrong with a field, in the words of Kubernetes' own validation. */
    public enum Reason {
        INVALID,
        REQUIRED,
        FORBIDDEN,
        DUPLICATE
    }

    /**
     * One thing that is wrong.
     *
     * @param reason what kind of thing
     * @param field its path, such as {@code spec.hosts[2].name}; null if it is about the whole write
     * @param value what the field has; null if it does not matter
     * @param message what is wrong with it
     */
    public record Refusal(
            Reason reason, @Nullable String field, @Nullable Object value, String message) {}

    public Verdict {
        refusals = List.copyOf(refusals);
        warnings = List.copyOf(warnings);
    }

    /** No refusal and no warning. */
    public static Verdict allowed() {
        return ALLOWED;
    }

    /** The same, and refused: a field's value is wrong. */
    public Verdict invalid(String field, @Nullable Object value, String message) {
        return with(new Refusal(Reason.INVALID, field, value, message));
    }

    /** The same, and refused: a field is missing. */
    public Verdict required(String field, String message) {
        return with(new Refusal(Reason.REQUIRED, field, null, message));
    }

    /** The same, and refused: a field may not be changed or set by this user, or now. */
    public Verdict forbidden(String field, String message) {
        return with(new Refusal(Reason.FORBIDDEN, field, null, message));
    }

    /** The same, and refused: a value that must be unique is there already. */
    public Verdict duplicate(String field, Object value) {
        return with(new Refusal(Reason.DUPLICATE, field, value, ""));
    }

    /** The same, and refused for a reason that is none of a field's. */
    public Verdict refuse(String message) {
        return with(new Refusal(Reason.FORBIDDEN, null, null, message));
    }

    /** The same with a warning. */
    public Verdict warn(String warning) {
        return new Verdict(
                refusals, Stream.concat(warnings.stream(), Stream.of(warning)).toList());
    }

    /** Whether the write may go on. */
    public boolean isAllowed() {
        return refusals.isEmpty();
    }

    private Verdict with(Refusal refusal) {
        return new Verdict(Stream.concat(refusals.stream(), Stream.of(refusal)).toList(), warnings);
    }
}
