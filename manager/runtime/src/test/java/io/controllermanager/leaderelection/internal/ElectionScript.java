package io.controllermanager.leaderelection.internal;

import io.controllermanager.leaderelection.internal.ElectionState.Moment;
import io.controllermanager.leaderelection.internal.ElectionState.Next;
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
import org.jspecify.annotations.Nullable;

/**
 * Plays a short text against one {@link ElectionState}, that of a process called "a": {@code 0 turn; 0 found x; 2 tick}. Each
 * step is a time in seconds and an event. A Lease is written as its holder ("-" for none), with a question mark and whoever
 * wishes for it: {@code a?b}. Each Lease is newer than those before, unless "old" precedes it. {@code a*60} is renewed with a
 * duration of 60 s; {@code a!60} has that duration without a renewal since the last {@code *}.
 */
final class ElectionScript {

    static final LeaderElectionConfig CONFIG = ElectionConfigs.of("ns", "lease", "a");

    /** So that a time of zero is not zero, and that times overflow. */
    private static final long ORIGIN = Long.MAX_VALUE - 1_000_000_000L;

    ElectionState state = ElectionState.initial(CONFIG);
    private boolean shares;
    private boolean aside;
    private int lead;
    private ElectionTask.@Nullable Request request;
    private List<ElectionCommand> commands = List.of();
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
            lead = text.contains("ahead") ? 2 : 0;
            return;
        }
        long now = nanos(seconds);
        Moment moment = new Moment(now, VirtualTime.START, 0.5, shares, aside, lead);
        Next next = state.next(event(words, now), moment);
        state = next.state();
        commands = next.commands();
        for (ElectionCommand command : commands) {
            if (command instanceof ElectionCommand.Send send) {
                request = send.request();
            }
        }
    }

    static long nanos(double seconds) {
        return ORIGIN + Math.round(seconds * 1e9);
    }

    private ElectionEvent event(String[] words, long now) {
        return switch (words[0]) {
            case "turn" -> new ElectionEvent.Turn(task(words));
            case "found" -> new ElectionEvent.Read(sent(), lease(words));
            case "missing" -> new ElectionEvent.Read(sent(), null);
            case "stored" -> stored(words, now);
            case "refused" -> new ElectionEvent.Refused(sent());
            case "failed" -> new ElectionEvent.Failed(sent(), "timeout", null);
            case "seen" -> new ElectionEvent.Seen(lease(words));
            case "deleted" -> new ElectionEvent.Deleted(lease(words));
            case "unwatched" -> new ElectionEvent.WatchInterrupted("cut");
            case "unpermitted" -> new ElectionEvent.WatchInterrupted(LeaseException.missingPermission("watch", CONFIG));
            case "watched" -> new ElectionEvent.WatchInterrupted(null);
            case "tick" -> ElectionEvent.Signal.TIME_PASSED;
            case "retry" -> ElectionEvent.Signal.RETRY_NOW;
            case "resign" -> ElectionEvent.Signal.RESIGN;
            case "stop" -> ElectionEvent.Signal.STOP;
            case "ask" -> ElectionEvent.Signal.ASK;
            case "unask" -> ElectionEvent.Signal.TAKE_BACK;
            case "stands" -> new ElectionEvent.Considered(words[1], true);
            case "refuse" -> new ElectionEvent.Considered(words[1], false);
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private ElectionTask task(String[] words) {
        return switch (words.length == 1 ? "attempt" : words[1]) {
            case "attempt" -> new AttemptTask();
            case "ask" -> new BalanceTask(true);
            case "unask" -> new BalanceTask(false);
            case "release" ->
                new ReleaseTask(state.phase() == ElectionState.Phase.STOPPING, true, Map.of("k", "v"), null);
            case "working" -> new ReleaseTask(state.phase() == ElectionState.Phase.STOPPING, false, Map.of(), null);
            default -> throw new IllegalArgumentException(words[1]);
        };
    }

    /** The request was sent now, or as many seconds ago as the script says; "old" if the Lease has changed since. */
    private ElectionEvent stored(String[] words, long now) {
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
        return new ElectionEvent.Stored(sent(), lease, now - Math.round(ago * 1e9));
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
        return show(commands);
    }

    /** The levels of the log lines of the last step. */
    String levels() {
        return commands.stream()
                .filter(ElectionCommand.Log.class::isInstance)
                .map(line -> ((ElectionCommand.Log) line).level().name())
                .collect(Collectors.joining(", "));
    }

    /** The last log line of the last step. */
    String lastLine() {
        return commands.stream()
                .filter(ElectionCommand.Log.class::isInstance)
                .map(line -> ((ElectionCommand.Log) line).message())
                .reduce("", (before, after) -> after);
    }

    /** Commands without log lines. */
    static String show(List<ElectionCommand> commands) {
        return commands.stream()
                .filter(command -> !(command instanceof ElectionCommand.Log))
                .map(ElectionScript::show)
                .collect(Collectors.joining(", "));
    }

    static String show(ElectionEvent event) {
        String name = event instanceof ElectionEvent.Signal signal
                ? signal.name()
                : event.getClass().getSimpleName();
        if (event instanceof ElectionEvent.Read read && read.lease() != null) {
            return name + " " + show(read.lease());
        }
        return event instanceof ElectionEvent.Seen seen ? name + " " + show(seen.lease()) : name;
    }

    private static String show(ElectionCommand command) {
        if (command instanceof ElectionCommand.Send send) {
            V1Lease lease = send.request().lease();
            return lease == null ? "read" : (Leases.isUnstored(lease) ? "create " : "update ") + show(lease);
        }
        if (command instanceof ElectionCommand.Work work) {
            return work.task() instanceof BalanceTask wish
                    ? "work " + (wish.ask() ? "ask" : "unask")
                    : "work " + (work.task() instanceof AttemptTask ? "attempt" : "release");
        }
        if (command instanceof ElectionCommand.Consider consider) {
            return "consider " + consider.asker() + " " + consider.age().toSeconds();
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
        String role = state.term() == null ? "stands by" : "leads";
        Long at = state.attemptAt();
        if (at == null) {
            return role + (state.attempting() ? ", tries" : "");
        }
        double seconds = Duration.ofNanos(at - ORIGIN).toMillis() / 1000.0;
        return role + ", next " + String.valueOf(seconds).replaceAll("\\.0$", "");
    }
}
