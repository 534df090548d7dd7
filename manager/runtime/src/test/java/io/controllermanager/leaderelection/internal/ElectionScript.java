package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Moment;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Plays a short text against one {@link ElectionState}, that of a process called "a": {@code 0 turn; 0 found x; 2 tick}. Each
 * step is a time in seconds and an event. A Lease is written as its holder ("-" for none), with a question mark and whoever
 * wishes for it: {@code a?b}. Each Lease is newer than those before, unless "old" precedes it. {@code a*60} is renewed with a
 * duration of 60 s; {@code a!60} has that duration without a renewal since the last {@code *}.
 */
final class ElectionScript {

    static final LeaderElectionConfig CONFIG = ElectionConfigs.of("ns", "lease", "a");

    /** The process holds two more than another. */
    private static final List<BalanceSpread.Held> AHEAD = Stream.of("a", "a", "a", "x")
            .map(holder -> new BalanceSpread.Held("any", holder, null))
            .toList();

    /** So that a time of zero is not zero, and that times overflow. */
    private static final long ORIGIN = Long.MAX_VALUE - 1_000_000_000L;

    ElectionState state = new ElectionState(CONFIG);
    private boolean shares;
    private boolean aside;
    private boolean leaving;
    private List<BalanceSpread.Held> leases = List.of();
    private ElectionTask.@Nullable Request request;
    private @Nullable ElectionStep last;
    private int version = 10;
    private int renewals;

    static ElectionScript play(String script) {
        ElectionScript played = new ElectionScript();
        for (String step : script.split(";")) {
            String[] words = step.strip().split(" ", 2);
            played.step(Double.parseDouble(words[0]), words[1]);
        }
        return played;
    }

    private void step(double seconds, String text) {
        String[] words = text.split(" ");
        if (words[0].equals("shares")) {
            shares = true;
            aside = text.contains("aside");
            leaving = text.contains("leaving");
            leases = text.contains("ahead") ? AHEAD : List.of();
            return;
        }
        long now = nanos(seconds);
        BalanceSpread spread = new BalanceSpread(leases, CONFIG.identity());
        Moment moment = new Moment(now, VirtualTime.START, 0.5, shares, aside, leaving, spread);
        last = state.next(event(words, now), moment);
        state = last;
        request = last.request == null ? request : last.request;
    }

    static long nanos(double seconds) {
        return ORIGIN + Math.round(seconds * 1e9);
    }

    private ElectionStep.Event event(String[] words, long now) {
        return switch (words[0]) {
            case "turn" -> task(words)::turn;
            case "found" -> read(lease(words));
            case "missing" -> read(null);
            case "stored" -> stored(words, now);
            case "refused" -> step -> sent().task().refused(step, sent());
            case "failed" -> step -> sent().task().failed(step, sent(), "timeout", null);
            case "seen" -> seen(lease(words));
            case "deleted" -> deleted(lease(words));
            case "unwatched" -> step -> step.watchInterrupted("cut");
            case "unpermitted" -> step -> step.watchInterrupted(LeaseException.missingPermission("watch", CONFIG));
            case "watched" -> step -> step.watchInterrupted(null);
            case "tick" -> ElectionStep::timePassed;
            case "retry" -> ElectionStep::retryNow;
            case "resign" -> ElectionStep::resign;
            case "stop" -> ElectionStep::stop;
            case "ask" -> step -> step.wish(true);
            case "unask" -> step -> step.wish(false);
            case "refuse" -> step -> step.refuse(words[1]);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private ElectionStep.Event read(@Nullable V1Lease lease) {
        return step -> step.read(sent(), lease);
    }

    private static ElectionStep.Event seen(V1Lease lease) {
        return step -> step.seen(lease);
    }

    private static ElectionStep.Event deleted(V1Lease lease) {
        return step -> step.deleted(lease);
    }

    private ElectionTask task(String[] words) {
        return switch (words.length == 1 ? "attempt" : words[1]) {
            case "attempt" -> new ElectionTask.Attempt();
            case "ask" -> new ElectionTask.Ask(true);
            case "unask" -> new ElectionTask.Ask(false);
            case "release" ->
                new ElectionTask.Release(state.phase == ElectionState.Phase.STOPPING, true, Map.of("k", "v"), null);
            case "working" ->
                new ElectionTask.Release(state.phase == ElectionState.Phase.STOPPING, false, Map.of(), null);
            default -> throw new IllegalArgumentException(words[1]);
        };
    }

    /** The request was sent now, or as many seconds ago as the script says; "old" if the Lease has changed since. */
    private ElectionStep.Event stored(String[] words, long now) {
        boolean old = words.length > 1 && words[1].equals("old");
        double ago = words.length == 1 || old ? 0 : Double.parseDouble(words[1]);
        V1Lease written = Objects.requireNonNull(sent().lease());
        version += 2;
        V1Lease known = sent().known().lease();
        int stored = !old || known == null
                ? version
                : Integer.parseInt(metadata(known).getResourceVersion()) + 1;
        V1Lease lease = lease(Leases.holder(written), null, stored).spec(written.getSpec());
        metadata(lease)
                .setAnnotations(
                        written.getMetadata() == null ? null : metadata(written).getAnnotations());
        return step -> step.stored(sent(), lease, now - Math.round(ago * 1e9));
    }

    private static V1ObjectMeta metadata(V1Lease lease) {
        return Objects.requireNonNull(lease.getMetadata());
    }

    private ElectionTask.Request sent() {
        return Objects.requireNonNull(request);
    }

    private V1Lease lease(String[] words) {
        boolean old = words[1].equals("old");
        String[] timed = words[old ? 2 : 1].split("[*!]");
        if (timed.length == 2) {
            renewals += words[old ? 2 : 1].contains("*") ? 1 : 0;
            V1Lease lease = lease(timed[0].equals("-") ? "" : timed[0], null, old ? 1 : (version += 2));
            return lease.spec(new V1LeaseSpec()
                    .holderIdentity(Leases.holder(lease))
                    .leaseDurationSeconds(Integer.parseInt(timed[1]))
                    .renewTime(VirtualTime.START.plusSeconds(renewals).atOffset(ZoneOffset.UTC)));
        }
        String[] text = words[old ? 2 : 1].split("\\?");
        return lease(text[0].equals("-") ? "" : text[0], text.length == 1 ? null : text[1], old ? 1 : (version += 2));
    }

    private static V1Lease lease(String holder, @Nullable String asker, int version) {
        return new V1Lease()
                .metadata(new V1ObjectMeta()
                        .name("lease")
                        .namespace("ns")
                        .resourceVersion(String.valueOf(version))
                        .annotations(asker == null ? null : Map.of(Leases.PREFERRED_HOLDER, asker)))
                .spec(new V1LeaseSpec()
                        .holderIdentity(holder)
                        .leaseDurationSeconds(15)
                        .leaseTransitions(version));
    }

    /** The commands of the last step. */
    String commands() {
        return show(last());
    }

    private ElectionStep last() {
        return Objects.requireNonNull(last);
    }

    /** The levels of the log lines of the last step. */
    String levels() {
        return last().commands.stream()
                .filter(ElectionCommand.Log.class::isInstance)
                .map(line -> ((ElectionCommand.Log) line).level().name())
                .collect(Collectors.joining(", "));
    }

    /** The last log line of the last step. */
    String lastLine() {
        return last().commands.stream()
                .filter(ElectionCommand.Log.class::isInstance)
                .map(line -> ((ElectionCommand.Log) line).message())
                .reduce("", (before, after) -> after);
    }

    /** Commands without log lines, and the request. */
    static String show(ElectionStep step) {
        return Stream.concat(
                        step.commands.stream()
                                .filter(command -> !(command instanceof ElectionCommand.Log))
                                .map(ElectionScript::show),
                        Stream.ofNullable(step.request).map(ElectionScript::show))
                .collect(Collectors.joining(", "));
    }

    private static String show(ElectionTask.Request request) {
        V1Lease lease = request.lease();
        return lease == null ? "read" : (Leases.isUnstored(lease) ? "create " : "update ") + show(lease);
    }

    private static String show(ElectionCommand command) {
        if (command instanceof ElectionCommand.Work work) {
            return work.task() instanceof ElectionTask.Ask wish
                    ? "work " + (wish.ask() ? "ask" : "unask")
                    : "work " + (work.task() instanceof ElectionTask.Attempt ? "attempt" : "release");
        }
        if (command instanceof ElectionCommand.HandOver wish) {
            return "hand over " + wish.asker();
        }
        return command instanceof ElectionCommand.Release ? "release" : command.toString();
    }

    static String show(V1Lease lease) {
        String holder = Leases.holder(lease).isEmpty() ? "-" : Leases.holder(lease);
        String asker = Leases.preferredHolder(lease);
        return asker == null ? holder : holder + "?" + asker;
    }

    /** Whether this process leads, and what it waits for. */
    String outcome() {
        String role = state.term == null ? "stands by" : "leads";
        Long at = state.attemptAt;
        if (at == null) {
            return role + (state.attempting ? ", tries" : "");
        }
        double seconds = Duration.ofNanos(at - ORIGIN).toMillis() / 1000.0;
        return role + ", next " + String.valueOf(seconds).replaceAll("\\.0$", "");
    }
}
