package io.controllermanager.external.internal;

import com.google.gson.JsonElement;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.external.ExternalSystem.ById;
import io.controllermanager.external.ExternalSystem.ByName;
import io.controllermanager.external.internal.Ledger.Entry;
import io.controllermanager.external.internal.SystemAccess.Outage;
import io.controllermanager.external.internal.SystemAccess.Seen;
import io.controllermanager.external.internal.SystemAccess.Write;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.readiness.Readiness.State;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The things of one kind that an object has, in a reconcile by a running controller. */
final class LiveResources<K, V> implements ExternalResources<K, V> {

    /** When to look again at what is on its way. */
    private static final Duration SOON = Duration.ofSeconds(5);

    private final SystemAccess<K, V> access;
    private final External<K, V> external;
    private final Owner owner;
    private final Request object;
    private final String annotation;
    private final String prefix;
    private final Set<K> ensured = new HashSet<>();

    LiveResources(SystemAccess<K, V> access, Owner owner, String annotation) {
        this.access = access;
        this.external = access.external;
        this.owner = owner;
        this.object = owner.key();
        this.annotation = annotation;
        this.prefix = prefix(external.name());
    }

    @Override
    public Readiness ensure(K key, V wanted) throws ApiException {
        ensured.add(key);
        Readiness known = known(key, wanted);
        if (known != null) {
            return known;
        }
        Gate.Wait wait = access.gate.enter(object);
        if (wait != null) {
            return waiting(key, wanted, wait);
        }
        try {
            access.readAll(object);
            known = known(key, wanted);
            if (known != null) {
                return known;
            }
            return external.system() instanceof ByName<K, V> system
                    ? ensureByName(system, key, wanted)
                    : ensureById(byId(), key, wanted);
        } catch (Outage e) {
            return waiting(key, wanted, e.wait);
        }
    }

    /** What can be said without a call; null if there has to be one. */
    private @Nullable Readiness known(K key, V wanted) {
        Entry entry = entry(key);
        K id = id(key, entry);
        Seen<V> last = id == null ? null : access.seen(object, id);
        if (last == null || untilNextRead(last).compareTo(Duration.ZERO) <= 0) {
            return null;
        }
        if (entry == null) {
            return last.value() == null || external.adopts().test(last.value(), wanted) ? null : taken(key, last);
        }
        return isAsWanted(last.value(), wanted) || wanted.equals(last.written()) ? judge(key, wanted, last) : null;
    }

    private Readiness ensureByName(ByName<K, V> system, K name, V wanted) throws ApiException {
        Seen<V> last = access.read(object, name, null);
        V present = last.value();
        if (entry(name) == null) {
            if (present != null && !external.adopts().test(present, wanted)) {
                return taken(name, last);
            }
            record(name, new Entry(json(name), null, null, null));
        }
        if (present != null) {
            return updated(name, name, wanted, last);
        }
        return written(name, name, wanted, "create", () -> system.create(name, wanted));
    }

    private Readiness ensureById(ById<V> system, K key, V wanted) throws ApiException {
        Entry entry = entry(key);
        K id = id(key, entry);
        if (entry != null && id != null) {
            boolean mayAppear = mayAppear(entry);
            Seen<V> last = access.read(object, id, mayAppear ? wanted : null);
            if (last.value() != null) {
                return updated(key, id, wanted, last);
            }
            if (mayAppear) {
                return judge(key, wanted, last);
            }
        }
        String begun = entry == null ? null : entry.token();
        String token = begun == null ? UUID.randomUUID().toString() : begun;
        String found = access.call(object, "find", () -> system.find(token, wanted));
        if (found != null) {
            Seen<V> last = access.read(object, cast(found), null);
            if (begun == null && (last.value() == null || !external.adopts().test(last.value(), wanted))) {
                return taken(key, last);
            }
            record(key, new Entry(json(key), found, null, now()));
            return last.value() == null ? judge(key, wanted, last) : updated(key, cast(found), wanted, last);
        }
        if (begun == null) {
            record(key, new Entry(json(key), null, token, null));
        }
        String made = access.call(object, "create", () -> system.create(token, wanted));
        record(key, new Entry(json(key), made, null, now()));
        return judge(key, wanted, access.read(object, cast(made), wanted));
    }

    private Readiness updated(K key, K id, V wanted, Seen<V> last) {
        V present = last.value();
        if (present == null || isAsWanted(present, wanted)) {
            return judge(key, wanted, last);
        }
        return written(key, id, wanted, "update", () -> external.system().update(id, present, wanted));
    }

    private Readiness written(K key, K id, V wanted, String what, Write write) {
        access.write(object, id, what, write);
        return judge(key, wanted, access.read(object, id, wanted));
    }

    /** What is to be said of a thing of ours that was read. */
    private Readiness judge(K key, V wanted, Seen<V> last) {
        owner.comesAgain(untilNextRead(last));
        V present = last.value();
        if (present == null) {
            return say(State.PROGRESSING, key, "NotSeen", "was made, and does not show yet");
        }
        if (!isAsWanted(present, wanted)) {
            return say(State.PROGRESSING, key, "Differs", "was written, and is not as wanted yet");
        }
        Readiness own = external.system().readiness(present);
        return own != null ? own : say(State.READY, key, "Ready", "is as wanted");
    }

    private Readiness taken(K key, Seen<V> last) {
        owner.comesAgain(untilNextRead(last));
        return say(State.FAILED, key, "Taken", "is there already, and is not recorded as this object's");
    }

    /** What was read before will do while nothing else is wanted, unless an outage lasts. */
    private Readiness waiting(K key, @Nullable V wanted, Gate.Wait wait) {
        owner.comesAgain(wait.after());
        Entry entry = entry(key);
        K id = id(key, entry);
        Seen<V> last = entry == null || id == null ? null : access.seen(object, id);
        if (!wait.lasts() && last != null && wanted != null && isAsWanted(last.value(), wanted)) {
            return judge(key, wanted, last);
        }
        return new Readiness(wait.lasts() ? State.FAILED : State.PROGRESSING, prefix + wait.reason(), wait.message());
    }

    @Override
    public Readiness remove(K key, @Nullable V wanted) throws ApiException {
        Entry entry = entry(key);
        if (entry == null) {
            return say(State.READY, key, "Gone", "is gone");
        }
        Gate.Wait wait = access.gate.enter(object);
        if (wait != null) {
            return waiting(key, null, wait);
        }
        try {
            K id = id(key, entry);
            if (id == null) {
                id = lost(byId(), Objects.requireNonNull(entry.token()), wanted);
            }
            if (id != null && !isDeleted(id, mayAppear(entry))) {
                owner.comesAgain(SOON);
                return say(State.PROGRESSING, key, "Going", "is being deleted");
            }
            if (id != null) {
                access.forget(object, id);
            }
        } catch (Outage e) {
            return waiting(key, null, e.wait);
        }
        record(key, null);
        return say(State.READY, key, "Gone", "is gone");
    }

    /** The id of what was made with a token when the process was lost; null if nothing was. */
    private @Nullable K lost(ById<V> system, String token, @Nullable V wanted) {
        String found = access.call(object, "find", () -> system.find(token, wanted));
        if (found == null && wanted != null) {
            found = access.call(object, "create", () -> system.create(token, wanted));
        }
        return found == null ? null : cast(found);
    }

    /** Deletes a thing that is there, or may be though it does not show; whether a read shows that it is gone. */
    private boolean isDeleted(K id, boolean mayAppear) {
        boolean there = access.read(object, id, null).value() != null;
        if (!there && !mayAppear) {
            return true;
        }
        access.write(object, id, "delete", () -> external.system().delete(id));
        return there && access.read(object, id, null).value() == null;
    }

    @Override
    public Readiness removeOthers() throws ApiException {
        Readiness result = new Readiness(State.READY, prefix + "Gone", "nothing else is left of " + external.name());
        for (K key : keys()) {
            Readiness gone = ensured.contains(key) ? result : remove(key, null);
            result = result.isReady() ? gone : result;
        }
        return result;
    }

    @Override
    public Readiness remove() throws ApiException {
        ensured.clear();
        return removeOthers();
    }

    @Override
    public @Nullable V value(K key) {
        K id = id(key, entry(key));
        Seen<V> last = id == null ? null : access.seen(object, id);
        return last == null ? null : last.value();
    }

    @Override
    public Set<K> keys() {
        Set<K> keys = new LinkedHashSet<>();
        ledger().entries(external.name()).forEach(entry -> keys.add(key(entry)));
        return keys;
    }

    private Ledger ledger() {
        return Ledger.read(owner.annotation(annotation), owner.identity());
    }

    private @Nullable Entry entry(K key) {
        return ledger().entry(external.name(), json(key));
    }

    private void record(K key, @Nullable Entry entry) throws ApiException {
        owner.annotate(
                annotation, ledger().with(external.name(), json(key), entry).text());
    }

    /** What the system calls a thing; null while it has given no id. */
    private @Nullable K id(K key, @Nullable Entry entry) {
        if (external.system() instanceof ByName) {
            return key;
        }
        return entry == null || entry.id() == null ? null : cast(entry.id());
    }

    @SuppressWarnings("unchecked") // There is no other kind, and its keys are strings.
    private ById<V> byId() {
        return (ById<V>) external.system();
    }

    /** An id as what keys are where the system gives ids: strings. */
    private K cast(String id) {
        return external.keys().cast(id);
    }

    private K key(Entry entry) {
        return ApiJson.read(entry.key(), ApiJson.adapter(external.keys()));
    }

    private static JsonElement json(Object key) {
        return ApiJson.tree(key);
    }

    /** Whether the system may not show yet what it has made. */
    private boolean mayAppear(Entry entry) {
        return entry.at() != null
                && Instant.parse(entry.at()).plus(external.visibleWithin()).isAfter(access.clock.now());
    }

    private String now() {
        return access.clock.now().truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private Duration untilNextRead(Seen<V> last) {
        boolean hidden = last.value() == null && last.written() != null;
        return access.left(last, hidden ? SOON : external.poll());
    }

    private boolean isAsWanted(@Nullable V present, V wanted) {
        return present != null && external.system().isAsWanted(present, wanted);
    }

    private Readiness say(State state, K key, String reason, String words) {
        return new Readiness(state, prefix + reason, external.name() + " " + json(key) + " " + words);
    }

    /** The beginning of reasons: {@code TenantRow} for {@code tenant-row}. */
    private static String prefix(String name) {
        return Stream.of(name.split("-"))
                .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
                .collect(Collectors.joining());
    }
}
