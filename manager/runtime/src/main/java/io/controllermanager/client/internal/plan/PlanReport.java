package io.controllermanager.client.internal.plan;

import com.google.gson.GsonBuilder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What a dry run has found.
 *
 * @param changes what objects would be created, changed and deleted, by name
 * @param events which Events would be recorded
 * @param failed what was to be planned and failed, one line each
 * @param invalid keys whose reconcile fails until somebody changes their object, which is an answer
 * @param unsettled keys that change things again and again
 * @param unknown what the API server would do could not be known, one sentence each
 * @param outside what would be done besides
 * @param later keys that come again later, and when
 * @param notes what else is to be known of this plan
 */
public record PlanReport(
        List<Change> changes,
        List<Event> events,
        List<String> failed,
        List<String> invalid,
        List<String> unsettled,
        List<String> unknown,
        List<String> outside,
        List<String> later,
        List<String> notes) {

    /** The exit code for a plan without changes. */
    public static final int NO_CHANGE = 0;

    /** The exit code for a plan that is not whole. */
    public static final int FAILED = 1;

    /** The exit code for a plan with changes. */
    public static final int CHANGES = 2;

    /**
     * What would become of one object.
     *
     * @param controllers who changes it, the first one first
     * @param action {@code create}, {@code change} or {@code delete}
     * @param object such as {@code deployments.apps default/web}
     * @param replaced whether it would be deleted and created again
     * @param unchecked whether the API server could not be asked about all of it
     */
    public record Change(
            List<String> controllers,
            String action,
            String object,
            List<Difference> differences,
            boolean replaced,
            boolean unchecked) {}

    /**
     * An Event.
     *
     * @param type {@code Normal} or {@code Warning}
     * @param object what it is about, such as {@code Foo default/a}
     */
    public record Event(String controller, String type, String object, String reason, String note) {}

    /** The same with notes. */
    public PlanReport withNotes(List<String> newNotes) {
        return new PlanReport(changes, events, failed, invalid, unsettled, unknown, outside, later, newNotes);
    }

    /** How the process is to end. */
    public int exitCode() {
        return Stream.of(failed, unsettled, unknown).anyMatch(list -> !list.isEmpty())
                ? FAILED
                : changes.isEmpty() && outside.isEmpty() ? NO_CHANGE : CHANGES;
    }

    /** For programs. */
    public String json() {
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(this);
    }

    /** For people. */
    public String text() {
        StringBuilder text = new StringBuilder();
        Set<String> controllers = new LinkedHashSet<>();
        changes.forEach(change -> controllers.add(first(change)));
        events.forEach(event -> controllers.add(event.controller()));
        for (String controller : controllers) {
            text.append(controller.isEmpty() ? "outside of reconciles" : "controller " + controller)
                    .append(":\n");
            changes.stream().filter(one -> first(one).equals(controller)).forEach(one -> write(one, text));
            events.stream()
                    .filter(one -> one.controller().equals(controller))
                    .forEach(one -> text.append("  Event of %s: %s %s: %s%n"
                            .formatted(one.object(), one.type(), one.reason(), one.note())));
        }
        write("fails until its object changes", invalid, text::append);
        write("failed", failed, text::append);
        write("does not settle", unsettled, text::append);
        write("could not know", unknown, text::append);
        write("would be done besides", outside, text::append);
        write("comes again later", later, text::append);
        write("note", notes, text::append);
        return text.append(summary()).append('\n').toString();
    }

    private static String first(Change change) {
        return change.controllers().isEmpty() ? "" : change.controllers().get(0);
    }

    private static void write(Change change, StringBuilder text) {
        text.append("  ").append(change.action()).append(' ').append(change.object());
        if (change.controllers().size() > 1) {
            text.append(", also by ")
                    .append(String.join(
                            ", ",
                            change.controllers().subList(1, change.controllers().size())));
        }
        text.append(change.replaced() ? ", deleted and created again" : "");
        text.append(change.unchecked() ? " (not all of it was checked by the API server)" : "")
                .append('\n');
        change.differences().forEach(one -> text.append("    ").append(one).append('\n'));
    }

    private static void write(String title, List<String> lines, Consumer<String> to) {
        if (!lines.isEmpty()) {
            to.accept(title + ":\n");
            lines.forEach(line -> to.accept("  " + line + "\n"));
        }
    }

    private String summary() {
        return "%d to create, %d to change, %d to delete".formatted(count("create"), count("change"), count("delete"));
    }

    private long count(String action) {
        return changes.stream().filter(one -> one.action().equals(action)).count();
    }
}
