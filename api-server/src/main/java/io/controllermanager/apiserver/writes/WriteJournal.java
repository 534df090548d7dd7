package io.controllermanager.apiserver.writes;

import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.Handler;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.storage.Change;
import io.controllermanager.apiserver.storage.Key;
import io.controllermanager.apiserver.storage.StoredObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Tells recordings what is written and for which request. A request is carried out by one thread, and so is what the server
 * writes after it, but for what {@link #ofOwnAccord} sets apart. Costs next to nothing while nobody records. For use by any thread.
 */
public final class WriteJournal {

    private final List<WriteRecording> recordings = new CopyOnWriteArrayList<>();

    @SuppressWarnings("ThreadLocalUsage") // One server's requests are nothing to another's.
    private final ThreadLocal<@Nullable Request> current = new ThreadLocal<>();

    /** Nobody records yet. */
    public WriteJournal() {}

    /** Begins to record. */
    public WriteRecording record() {
        WriteRecording recording = new WriteRecording(recordings::remove);
        recordings.add(recording);
        return recording;
    }

    /** Notes which request a thread carries out. */
    public Handler before(Handler handler) {
        return request -> {
            current.set(request);
            try {
                return handler.handle(request);
            } finally {
                current.remove();
            }
        };
    }

    /** Has writes count as the server's own, and not as those of the request that a thread carries out. */
    public void ofOwnAccord(Runnable writes) {
        Request request = current.get();
        current.remove();
        writes.run();
        if (request != null) {
            current.set(request);
        }
    }

    /** A change was stored; called in the order of changes. */
    public void note(Change change) {
        if (recordings.isEmpty()) {
            return;
        }
        RecordedWrite write = write(change, current.get());
        recordings.forEach(recording -> recording.add(write));
    }

    private static RecordedWrite write(Change change, @Nullable Request request) {
        Key key = change.object().key();
        RequestTarget target = request == null ? null : RequestTarget.of(request);
        RequestTarget asked = target != null && concerns(target, key) ? target : null;
        StoredObject before = change.before();
        String verb = asked == null ? "update" : asked.verb();
        return new RecordedWrite(
                change.version(),
                change.deletion() ? "delete" : before == null ? "create" : verb,
                key.resource(),
                asked == null ? "" : asked.subresource(),
                key.namespace(),
                key.name(),
                asked == null ? "" : asked.userAgent(),
                request == null || asked == null ? "" : manager(request),
                before == null ? null : before.tree(),
                change.deletion() ? null : change.object().tree());
    }

    /** Whether the request is for this very object, and not one that the server wrote after it. */
    private static boolean concerns(RequestTarget target, Key key) {
        return target.groupResource().equals(key.resource())
                && (target.name().isEmpty() || target.name().equals(key.name()))
                && (target.namespace().isEmpty() || target.namespace().equals(key.namespace()));
    }

    private static String manager(Request request) {
        String named = request.parameter("fieldManager");
        return named.isEmpty() ? request.header("User-Agent").split("[/ ]", 2)[0] : named;
    }
}
