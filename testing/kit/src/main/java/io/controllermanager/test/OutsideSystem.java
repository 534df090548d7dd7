package io.controllermanager.test;

import io.controllermanager.external.ExternalSystem;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A system outside Kubernetes, for tests: things with names, and things with ids. The maps of both are what there is; a test that
 * changes them is somebody else who does. A {@link Scenario} whose {@link Scenario#outside} it is has it compared at the end, ids
 * apart, and {@link NamedFault#OUTSIDE_CALL} strikes at each write. Safe for use by several threads.
 *
 * @param <V> what is known of a thing
 */
public final class OutsideSystem<V> {

    /** Called at each call, such as {@code create a}; what it throws the call throws, and while it waits the call is slow. */
    @FunctionalInterface
    public interface Hook {

        /** A call begins or has taken effect. */
        void on(String call) throws Exception;
    }

    /** What lies between the controllers of a play and this. */
    interface Line {

        /** Carries out a write or not. */
        void write(String call, Runnable effect) throws Exception;
    }

    private final Map<String, V> names = new ConcurrentSkipListMap<>();
    private final Map<String, V> ids = new ConcurrentSkipListMap<>();
    private final Map<String, String> tokens = new ConcurrentHashMap<>();
    private final AtomicInteger given = new AtomicInteger();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private volatile Hook before = call -> {};
    private volatile Hook after = call -> {};
    private volatile Line line = (call, effect) -> effect.run();

    /** The things that have names. */
    public Map<String, V> names() {
        return names;
    }

    /** The things that have ids. */
    public Map<String, V> ids() {
        return ids;
    }

    /** The calls so far, such as {@code read a}, {@code read all} or {@code create}. */
    public List<String> calls() {
        return List.copyOf(calls);
    }

    /** What happens before each call takes effect: such as an exception, so that it does not. */
    public void before(Hook hook) {
        before = hook;
    }

    /** What happens after each call has taken effect: an exception here loses the answer. */
    public void after(Hook hook) {
        after = hook;
    }

    /** Refuses each call from now on, or no more. */
    public void down(boolean down) {
        before(call -> {
            if (down) {
                throw new IOException("the test has the system down");
            }
        });
    }

    void through(Line newLine) {
        line = newLine;
    }

    private <R> R ask(String call, Supplier<R> effect) throws Exception {
        calls.add(call);
        before.on(call);
        R answer = effect.get();
        after.on(call);
        return answer;
    }

    private void write(String call, Runnable effect) throws Exception {
        calls.add(call);
        before.on(call);
        line.write(call, effect);
        after.on(call);
    }

    /** To things that have names. */
    public ExternalSystem.ByName<String, V> byName() {
        return new Named();
    }

    /** To things that get ids; the same token gives the same thing. */
    public ExternalSystem.ById<V> byId() {
        return new Given();
    }

    private final class Named implements ExternalSystem.ByName<String, V> {

        @Override
        public @Nullable V read(String name) throws Exception {
            return ask("read " + name, () -> names.get(name));
        }

        @Override
        public Map<String, V> readAll() throws Exception {
            return ask("read all", () -> Map.copyOf(names));
        }

        @Override
        public void create(String name, V wanted) throws Exception {
            write("create " + name, () -> {
                if (names.putIfAbsent(name, wanted) != null) {
                    throw new IllegalStateException(name + " is there already");
                }
            });
        }

        @Override
        public void update(String name, V present, V wanted) throws Exception {
            write("update " + name, () -> names.replace(name, wanted));
        }

        @Override
        public void delete(String name) throws Exception {
            write("delete " + name, () -> names.remove(name));
        }
    }

    private final class Given implements ExternalSystem.ById<V> {

        @Override
        public @Nullable V read(String id) throws Exception {
            return ask("read " + id, () -> ids.get(id));
        }

        @Override
        public Map<String, V> readAll() throws Exception {
            return ask("read all", () -> Map.copyOf(ids));
        }

        @Override
        public String create(String token, V wanted) throws Exception {
            write(
                    "create",
                    () -> tokens.computeIfAbsent(token, made -> {
                        String id = "id-" + given.incrementAndGet();
                        ids.put(id, wanted);
                        return id;
                    }));
            return String.valueOf(tokens.get(token));
        }

        @Override
        public @Nullable String find(String token, @Nullable V wanted) throws Exception {
            return ask("find", () -> tokens.get(token));
        }

        @Override
        public void update(String id, V present, V wanted) throws Exception {
            write("update " + id, () -> ids.replace(id, wanted));
        }

        @Override
        public void delete(String id) throws Exception {
            write("delete " + id, () -> ids.remove(id));
        }
    }

    /** Whether there are the same things in it, whatever their ids. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OutsideSystem<?> system && toString().equals(system.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    @Override
    public String toString() {
        return "names " + names + ", ids "
                + ids.values().stream().map(String::valueOf).sorted().toList();
    }
}
