package io.controllermanager.apiserver.writes;

import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.Handler;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.storage.Change;
import io.controllermanager.apiserver.storage.Key;
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
        RequestTarget target = request == null ? null : RequestTarget.of(request);
        boolean asked = target != null && concerns(target, change);
        String verb = change.deletion()
                ? "delete"
                : change.before() == null ? "create" : target != null && asked ? target.verb() : "update";
        Key key = change.object().key();
        return new RecordedWrite(
                change.version(),
                verb,
                key.resource(),
                target != null && asked ? target.subresource() : "",
                key.namespace(),
                key.name(),
                target != null && asked ? target.userAgent() : "",
                request != null && asked ? manager(request) : "",
                change.before() == null ? null : change.before().tree(),
                change.deletion() ? null : change.object().tree());
    }

    /** Whether the request is for this very object, and not one that the server wrote after it. */
    private static boolean concerns(RequestTarget target, Change change) {
        Key key = change.object().key();
        return target.groupResource().equals(key.resource())
                && (target.name().isEmpty() || target.name().equals(key.name()))
                && (target.namespace().isEmpty() || target.namespace().equals(key.namespace()));
    }

    private static String manager(Request request) {
        String named = request.parameter("fieldManager");
        return named.isEmpty() ? request.header("User-Agent").split("[/ ]", 2)[0] : named;
    }
}
