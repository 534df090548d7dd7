package io.controllermanager.external.internal;

import com.google.gson.JsonElement;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalResources;
import io.controllermanager.external.ExternalSystem.ById;
import io.controllermanager.external.ExternalSystem.ByName;
import io.controllermanager.external.internal.Ledger.Entry;
import io.controllermanager.external.internal.SystemAccess.ExternalCallException;
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

    /** How long a system may not show a thing that it has given an id; as Crossplane's grace period. */
    private static final Duration VISIBLE_WITHIN = Duration.ofSeconds(30);

    private final SystemAccess<K, V> access;
    private final External<K, V> external;
    private final Externals.Session session;
    private final Owner owner;
    private final Request object;
    private final String prefix;
    private final Set<K> ensured = new HashSet<>();

    LiveResources(SystemAccess<K, V> access, Externals.Session session) {
        this.access = access;
        this.external = access.external;
        this.session = session;
        this.owner = session.owner;
        this.object = owner.key();
        this.prefix = prefix(external.name());
    }

    @Override
    public Readiness ensure(K key, V wanted) throws ApiException {
        ensured.add(key);
        Entry entry = entry(key);
        Readiness known = known(key, entry, wanted);
        return known != null
                ? known
                : asked(key, entry, wanted, () -> {
                    access.readAll(object);
                    Readiness read = known(key, entry, wanted);
                    return read != null ? read : ensureNow(key, entry, wanted);
                });
    }

    /** What can be said without a call; null if there has to be one. */
    private @Nullable Readiness known(K key, @Nullable Entry entry, V wanted) {
        Seen<V> last = seen(key, entry);
        if (last == null || untilNextRead(last).compareTo(Duration.ZERO) <= 0) {
            return null;
        }
        if (entry == null) {
            return last.value() == null || mayAdopt(last, wanted) ? null : taken(key, last);
        }
        return isAsWanted(last.value(), wanted) || wanted.equals(last.written()) ? judge(key, wanted, last) : null;
    }

    private interface Calls {
        Readiness make() throws ApiException;
    }

    private Readiness asked(K key, @Nullable Entry entry, @Nullable V wanted, Calls calls) throws ApiException {
        Gate.Wait wait = access.gate.enter(object);
        if (wait == null) {
            try {
                return calls.make();
            } catch (Outage e) {
                wait = e.wait;
            }
        }
        owner.comesAgain(wait.after());
        Seen<V> last = entry == null ? null : seen(key, entry);
        // What was read before will do while nothing else is wanted, unless an outage lasts.
        if (!wait.lasts() && last != null && wanted != null && isAsWanted(last.value(), wanted)) {
            return judge(key, wanted, last);
        }
        return new Readiness(wait.lasts() ? State.FAILED : State.PROGRESSING, prefix + wait.reason(), wait.message());
    }

    private Readiness ensureNow(K key, @Nullable Entry entry, V wanted) throws ApiException {
        return external.system() instanceof ByName<K, V> system
                ? ensureByName(system, key, entry, wanted)
                : ensureById(byId(), key, entry, wanted);
    }

    private Readiness ensureByName(ByName<K, V> system, K name, @Nullable Entry entry, V wanted) throws ApiException {
        Seen<V> last = access.read(object, name, null);
        if (entry == null) {
            if (last.value() != null && !mayAdopt(last, wanted)) {
                return taken(name, last);
            }
            session.record(external.name(), json(name), new Entry(json(name), null, null, null));
        }
        if (last.value() != null) {
            return updated(name, name, wanted, last);
        }
        try {
            return written(name, name, wanted, "create", () -> system.create(name, wanted));
        } catch (ExternalCallException e) {
            Seen<V> now = access.read(object, name, null);
            if (now.value() == null || isAsWanted(now.value(), wanted) || mayAdopt(now, wanted)) {
                throw e;
            }
            // Somebody else has made it meanwhile.
            session.note(external.name(), json(name), null);
            return taken(name, now);
        }
    }

    private Readiness ensureById(ById<V> system, K key, @Nullable Entry entry, V wanted) throws ApiException {
        K id = id(key, entry);
        if (entry != null && id != null) {
            boolean mayAppear = mayAppear(entry);
            Seen<V> last = access.read(object, id, mayAppear ? wanted : null);
            if (last.value() != null || mayAppear) {
                return updated(key, id, wanted, last);
            }
        }
        String begun = entry == null ? null : entry.token();
        String token = begun == null ? UUID.randomUUID().toString() : begun;
        String found = access.call(object, "find", () -> system.find(token, wanted));
        if (found != null) {
            Seen<V> last = access.read(object, cast(found), null);
            if (begun == null && !mayAdopt(last, wanted)) {
                return taken(key, last);
            }
            noteId(key, found);
            return updated(key, cast(found), wanted, last);
        }
        if (begun == null) {
            session.record(external.name(), json(key), new Entry(json(key), null, token, null));
        }
        String made = access.create(object, system, token, wanted);
        noteId(key, made);
        return judge(key, wanted, access.read(object, cast(made), wanted));
    }

    private void noteId(K key, String id) throws ApiException {
        String now = access.clock.now().truncatedTo(ChronoUnit.SECONDS).toString();
        session.note(external.name(), json(key), new Entry(json(key), id, null, now));
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

    @Override
    public Readiness remove(K key, @Nullable V wanted) throws ApiException {
        Entry entry = entry(key);
        if (entry == null) {
            return say(State.READY, key, "Gone", "is gone");
        }
        return asked(key, entry, null, () -> {
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
            session.note(external.name(), json(key), null);
            return say(State.READY, key, "Gone", "is gone");
        });
    }

    /** The id of what was made with a token when the process was lost; null if nothing was. */
    private @Nullable K lost(ById<V> system, String token, @Nullable V wanted) {
        String found = access.call(object, "find", () -> system.find(token, wanted));
        if (found == null && wanted != null) {
            found = access.create(object, system, token, wanted);
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
        Seen<V> last = seen(key, entry(key));
        return last == null ? null : last.value();
    }

    @Override
    public Set<K> keys() {
        return session.ledger().entries(external.name()).stream()
                .map(entry -> ApiJson.read(entry.key(), ApiJson.adapter(external.keys())))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private @Nullable Entry entry(K key) {
        return session.ledger().entry(external.name(), json(key));
    }

    private @Nullable Seen<V> seen(K key, @Nullable Entry entry) {
        K id = id(key, entry);
        return id == null ? null : access.seen(object, id);
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

    private static JsonElement json(Object key) {
        return ApiJson.tree(key);
    }

    /** Whether the system may not show yet what it has made. */
    private boolean mayAppear(Entry entry) {
        return entry.at() != null
                && Instant.parse(entry.at()).plus(VISIBLE_WITHIN).isAfter(access.clock.now());
    }

    private Duration untilNextRead(Seen<V> last) {
        boolean hidden = last.value() == null && last.written() != null;
        return access.left(last, hidden ? SOON : external.poll());
    }

    private boolean mayAdopt(Seen<V> last, V wanted) {
        return last.value() != null && external.adopts().test(last.value(), wanted);
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
