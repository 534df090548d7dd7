package io.controllermanager.informer.internal.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.common.KubernetesObject;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether somebody changes objects that a store has handed out, for development and tests: it keeps what each
 * object looked like when it was stored, and compares. As client-go's {@code tools/cache/mutation_detector.go}, which ends
 * the process; this says what was changed and counts. It costs as much memory again as the store, and the time of writing
 * every object as JSON at each comparison. Safe for use by several threads.
 */
public final class MutationDetector {

    private static final Logger log = LoggerFactory.getLogger(MutationDetector.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final String resource;
    private final AtomicLong found = new AtomicLong();

    @GuardedBy("this")
    private List<Watched> watched = new ArrayList<>();

    /** Compares; null while nobody is to. */
    private volatile @Nullable Thread thread;

    /** An object, for as long as somebody has it, and what it is to look like; null while it cannot be written. */
    private record Watched(
            String key,
            WeakReference<KubernetesObject> object,
            @Nullable String json) {}

    public MutationDetector(String resource) {
        this.resource = resource;
    }

    /** Compares every second, as client-go does, on a thread of this name. */
    public void start(String threadName, Timer timer) {
        Thread comparing = new Thread(() -> run(timer), threadName);
        comparing.setDaemon(true);
        thread = comparing;
        comparing.start();
    }

    /** Ends that. */
    public void stop() {
        Thread ending = thread;
        thread = null;
        if (ending != null) {
            ending.interrupt();
        }
    }

    private void run(Timer timer) {
        try {
            while (thread == Thread.currentThread()) {
                timer.sleep(INTERVAL);
                try {
                    check();
                } catch (RuntimeException e) {
                    // Such as by an object that is being changed at this very moment, which the next round will find.
                    log.atWarn()
                            .setCause(e)
                            .addKeyValue("resource", resource)
                            .log(
                                    "Informer of {}: objects of the cache could not be compared with what they were: {}",
                                    resource,
                                    FailureMessage.of(e));
                }
            }
        } catch (InterruptedException e) {
            // It has been stopped.
        }
    }

    /** From now on the object is to stay as it is. */
    public synchronized void watch(String key, KubernetesObject object) {
        String json = null;
        try {
            json = json(object);
        } catch (RuntimeException e) {
            // The informer goes on without; the next comparison says why.
        }
        watched.add(new Watched(key, new WeakReference<>(object), json));
    }

    /** How many changes have been found. */
    public long found() {
        return found.get();
    }

    /**
     * Compares all objects with what they were, and reports each change once.
     *
     * @throws RuntimeException the first failure of an object that cannot be written; all others have been compared
     */
    public synchronized void check() {
        List<Watched> kept = new ArrayList<>(watched.size());
        RuntimeException failed = null;
        for (Watched before : watched) {
            KubernetesObject object = before.object().get();
            if (object == null) {
                continue;
            }
            try {
                String now = json(object);
                if (before.json() != null && !now.equals(before.json())) {
                    report(before.key(), before.json(), now);
                }
                kept.add(new Watched(before.key(), before.object(), now));
            } catch (RuntimeException e) {
                kept.add(before);
                if (failed == null) {
                    failed = new IllegalStateException(before.key() + ": " + FailureMessage.of(e), e);
                }
            }
        }
        watched = kept;
        if (failed != null) {
            throw failed;
        }
    }

    private void report(String key, String before, String now) {
        found.incrementAndGet();
        log.atError()
                .addKeyValue("resource", resource)
                .addKeyValue("object", key)
                .log(
                        "Informer of {}: {} has been changed in the cache at {}; copy an object before you change it",
                        resource,
                        key,
                        difference("", JsonParser.parseString(before), JsonParser.parseString(now)));
    }

    /** The path of the first difference, with what stood there before and now. */
    private static String difference(String path, @Nullable JsonElement before, @Nullable JsonElement now) {
        if (before instanceof JsonObject was && now instanceof JsonObject is) {
            Set<String> names = new HashSet<>(was.keySet());
            names.addAll(is.keySet());
            for (String name : names) {
                if (!String.valueOf(was.get(name)).equals(String.valueOf(is.get(name)))) {
                    return difference(path + "." + name, was.get(name), is.get(name));
                }
            }
        }
        return path + " from " + before + " to " + now;
    }

    private static String json(KubernetesObject object) {
        return new String(ApiJson.write(object), StandardCharsets.UTF_8);
    }
}
