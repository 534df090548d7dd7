package io.controllermanager.test;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.test.Wire.Mishap;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import okhttp3.Response;

/**
 * What can go wrong, by name. A scenario has to come to the same end with it as without:
 *
 * <pre>{@code
 * @ParameterizedTest
 * @EnumSource
 * void comesToTheSameEnd(NamedFault fault) {
 *     fault.check(EditedGreeting::new);
 * }
 * }</pre>
 */
public enum NamedFault {

    /** The process is lost after a write; see {@link CrashPoints}. */
    PROCESS_LOST,

    /** A write is refused; see {@link RefusedWrites}. */
    WRITE_REFUSED,

    /** Another writer gets in before a write; see {@link OvertakenWrites}. */
    WRITE_OVERTAKEN,

    /** Somebody deletes what the controllers have made; see {@link DeletedChildren}. */
    CHILD_DELETED,

    /**
     * The connection is cut before the answer to a write: the server has carried it out, and the process lives on. Finds
     * controllers that do twice what they do not know to be done.
     */
    CONNECTION_CUT,

    /** The server restarts each time that the controllers are waited for, while they work. */
    SERVER_RESTARTED,

    /** As {@link #SERVER_RESTARTED}, and the server has no history any more, so that caches have to be listed anew. */
    HISTORY_EXPIRED,

    /**
     * A write to the {@link OutsideSystem} fails before it takes effect, or its answer is lost, or the process is lost after it.
     * Finds controllers that leave things behind outside, or make them twice.
     */
    OUTSIDE_CALL;

    /**
     * Plays a scenario undisturbed and with the fault.
     *
     * @param scenario makes it, for each play anew
     * @param madeOnce children that nobody makes again, which {@link #CHILD_DELETED} leaves alone: see {@link
     *     DeletedChildren#except}
     * @throws AssertionError with where it struck and the difference, if the scenario ends otherwise
     */
    public void check(Supplier<? extends Scenario> scenario, String... madeOnce) {
        switch (this) {
            case PROCESS_LOST -> CrashPoints.of(scenario).check();
            case WRITE_REFUSED -> RefusedWrites.of(scenario).check();
            case WRITE_OVERTAKEN -> OvertakenWrites.of(scenario).check();
            case CHILD_DELETED -> DeletedChildren.of(scenario).except(madeOnce).check();
            case CONNECTION_CUT -> cutConnections(scenario);
            case SERVER_RESTARTED -> withServer(scenario, "the API server restarts", ApiServer::restart);
            case HISTORY_EXPIRED -> withServer(scenario, "history has expired", NamedFault::expire);
            case OUTSIDE_CALL -> failOutside(scenario);
        }
    }

    /** Cuts all watches, and answers the next one of each type with 410. One that the restart cuts too may go on as it was. */
    static void expire(ApiServer server) {
        Set<String> expired = ConcurrentHashMap.newKeySet();
        server.faults()
                .when(RequestMatcher.verb("watch").where(watch -> expired.add(watch.groupResource())))
                .gone();
        server.restart();
    }

    private static void cutConnections(Supplier<? extends Scenario> scenario) {
        Trials trials = new Trials("Cut connections", scenario);
        List<SentWrite> writes = trials.writes();
        for (int number = 1; number <= writes.size(); number++) {
            SentWrite write = writes.get(number - 1);
            trials.play(
                    "the connection is cut before the answer to write " + number + " of " + writes.size() + ", "
                            + write,
                    cutAt(write));
        }
        trials.verdict();
    }

    private static Mishap cutAt(SentWrite which) {
        return (write, attempt) -> {
            Response response = attempt.send();
            if (write.equals(which)) {
                response.close();
                throw new IOException("the test has the connection cut");
            }
            return response;
        };
    }

    private enum OutsideFault {
        REFUSED("fails"),
        ANSWER_LOST("takes effect, and its answer is lost"),
        PROCESS_LOST("takes effect, and the process is lost");

        private final String words;

        OutsideFault(String words) {
            this.words = words;
        }
    }

    private static void failOutside(Supplier<? extends Scenario> scenario) {
        Trials trials = new Trials("Outside calls", scenario);
        for (SentWrite write : trials.outside()) {
            for (OutsideFault fault : OutsideFault.values()) {
                trials.play("outside, " + write + " " + fault.words, failAt(write, fault));
            }
        }
        trials.verdict();
    }

    private static Mishap failAt(SentWrite which, OutsideFault fault) {
        return new Mishap() {
            @Override
            public Response meet(SentWrite write, Wire.Attempt attempt) throws IOException {
                return attempt.send();
            }

            @Override
            public void outside(SentWrite write, Runnable effect, Supplier<Wire.ProcessLost> lose) throws IOException {
                if (!write.equals(which)) {
                    effect.run();
                    return;
                }
                if (fault != OutsideFault.REFUSED) {
                    effect.run();
                }
                if (fault == OutsideFault.PROCESS_LOST) {
                    throw lose.get();
                }
                throw new IOException("the test has the call fail");
            }
        };
    }

    /** Plays it once more, with something done to the server each time that the controllers are waited for. */
    private static void withServer(Supplier<? extends Scenario> scenario, String what, Consumer<ApiServer> fault) {
        Trials trials = new Trials("API server", scenario);
        trials.play(what, new Mishap() {
            @Override
            public Response meet(SentWrite write, Wire.Attempt attempt) throws IOException {
                return attempt.send();
            }

            @Override
            public void meanwhile(ApiServer server) {
                fault.accept(server);
            }
        });
        trials.verdict();
    }
}
