package io.controllermanager.external.internal;

import io.controllermanager.client.ResourceType;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.internal.KeyMemories;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.external.ExternalSystem;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.Selection;
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A system outside, and objects that have things in it, without an API server. Each step can be the last of a process. */
final class World {

    /** The process is lost here. */
    @SuppressWarnings("serial")
    static final class Lost extends Error {
        Lost() {
            super("lost", null, false, false);
        }
    }

    final VirtualTime time = new VirtualTime();

    /** What there is, by name or id. */
    final Map<String, String> things = new TreeMap<>();

    /** The calls, such as {@code create a}. */
    final List<String> calls = new ArrayList<>();

    /** By token the id of what was made with it, where the system copes with that. */
    final Map<String, String> tokens = new HashMap<>();

    final Map<String, Subject> subjects = new HashMap<>();

    /** What the next calls fail with, null for nothing. */
    @Nullable
    Exception failure;

    /** Ids that do not show yet. */
    final List<String> hidden = new ArrayList<>();

    /** After how many steps, calls and records, the process is lost; never if negative. */
    int lostAfter = -1;

    /** Whether the last step takes effect. */
    boolean takesEffect;

    boolean honoursTokens = true;
    boolean finds;

    private int made;

    private interface Step {
        void run() throws Exception;
    }

    private void step(Step effect) throws Exception {
        boolean last = lostAfter >= 0 && lostAfter-- == 0;
        if (!last || takesEffect) {
            effect.run();
        }
        if (last) {
            throw new Lost();
        }
    }

    private void call(String what, Step effect) throws Exception {
        calls.add(what);
        if (failure != null) {
            throw failure;
        }
        step(effect);
    }

    /** Things with names of ours. */
    class Rows implements ExternalSystem.ByName<String, String> {

        @Override
        public @Nullable String read(String name) throws Exception {
            call("read " + name, () -> {});
            return things.get(name);
        }

        @Override
        public Map<String, String> readAll() throws Exception {
            call("read all", () -> {});
            return Map.copyOf(things);
        }

        @Override
        public void create(String name, String wanted) throws Exception {
            if (things.containsKey(name)) {
                throw new IllegalStateException(name + " is there");
            }
            call("create " + name, () -> things.put(name, wanted));
        }

        @Override
        public void update(String name, String present, String wanted) throws Exception {
            call("update " + name, () -> things.put(name, wanted));
        }

        @Override
        public void delete(String name) throws Exception {
            call("delete " + name, () -> things.remove(name));
        }
    }

    /** Things with ids of the system's. */
    final class Buckets implements ExternalSystem.ById<String> {

        @Override
        public @Nullable String read(String id) throws Exception {
            call("read " + id, () -> {});
            return hidden.contains(id) ? null : things.get(id);
        }

        @Override
        public String create(String token, String wanted) throws Exception {
            String[] id = new String[1];
            call("create", () -> {
                id[0] = honoursTokens && tokens.containsKey(token) ? tokens.get(token) : "id-" + ++made;
                tokens.put(token, id[0]);
                things.put(id[0], wanted);
            });
            return id[0];
        }

        @Override
        public @Nullable String find(String token, @Nullable String wanted) throws Exception {
            if (!finds) {
                return null;
            }
            call("find", () -> {});
            return things.entrySet().stream()
                    .filter(thing ->
                            thing.getValue().equals(wanted) || thing.getKey().equals(tokens.get(token)))
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public void update(String id, String present, String wanted) throws Exception {
            call("update " + id, () -> things.put(id, wanted));
        }

        @Override
        public void delete(String id) throws Exception {
            call("delete " + id, () -> things.remove(id));
        }
    }

    /** An object. */
    final class Subject implements Owner {

        private final String name;
        final Map<String, String> annotations = new HashMap<>();

        @Nullable
        Duration again;

        Subject(String name) {
            this.name = name;
        }

        @Override
        public Request key() {
            return new Request("default", name);
        }

        @Override
        public String identity() {
            return "example.com/Gadget/default/" + name;
        }

        @Override
        public @Nullable String annotation(String annotation) {
            return annotations.get(annotation);
        }

        @Override
        public Instant created() {
            return VirtualTime.START;
        }

        @Override
        public void note(String annotation, @Nullable String value) {
            annotate(annotation, value);
        }

        @Override
        public void warn(String reason, String message) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void annotate(String annotation, @Nullable String value) {
            try {
                step(() -> annotations.compute(annotation, (key, before) -> value));
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void confirm(String annotation) {}

        @Override
        public void comesAgain(Duration after) {
            if (!after.isNegative() && !after.isZero() && (again == null || after.compareTo(again) < 0)) {
                again = after;
            }
        }
    }

    Subject subject(String name) {
        return subjects.computeIfAbsent(name, Subject::new);
    }

    /** A process with a controller. */
    Process process(External<?, ?>... externals) {
        return new Process(externals);
    }

    /** Remembers until it is lost. */
    final class Process implements ControllerContext {

        final KeyMemories memories = new KeyMemories();
        private final Externals externals;

        private Process(External<?, ?>... externals) {
            this.externals = new Externals(List.of(externals), this, memories);
        }

        /** What an object has outside, in one more reconcile. */
        <K, V> ExternalResources<K, V> of(String name, External<K, V> external) {
            subject(name).again = null;
            return session(name).resources(external);
        }

        Externals.Session session(String name) {
            return externals.of(subject(name));
        }

        @Override
        public String name() {
            return "gadget";
        }

        @Override
        public Clock clock() {
            return time;
        }

        @Override
        public ApiClient apiClient() {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends KubernetesObject> Informer<T> informer(ResourceType<T> type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T extends KubernetesObject> Informer<T> informer(Selection<T> selection) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EventRecorder events() {
            throw new UnsupportedOperationException();
        }
    }
}
