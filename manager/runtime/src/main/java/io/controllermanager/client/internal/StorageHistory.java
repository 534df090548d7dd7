package io.controllermanager.client.internal;

import io.controllermanager.client.Registration;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import okhttp3.Response;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that etcd was put back to an older state, as by a restore without {@code --bump-revision}: otherwise versions only
 * grow. A restore cuts connections. So after each connection that fails or breaks off, every collection that is mirrored here
 * is asked for its version, before anything else is written and before a watch goes on. A watch from a version that the API
 * server has not come to would be silent.
 *
 * <p>The question is a list of one object without resourceVersion. Its answer is as new as etcd, however far the API server's
 * own cache is behind. Each type is compared with itself only, since types may be stored in several etcds.
 *
 * <p>As an interceptor it holds back writes. Safe for use by several threads; who asks meanwhile waits for the same answers.
 */
public final class StorageHistory implements HostInterceptor {

    private static final Logger log = LoggerFactory.getLogger(StorageHistory.class);

    private static final int FORBIDDEN = 403;

    /** By these the API server has answered, and there is nothing to compare: no such type, or no right. */
    private static final Set<Integer> ANSWERS = Set.of(400, FORBIDDEN, 404, 405, 410, 422);

    private final Map<String, Type> types = new ConcurrentHashMap<>();
    private final AtomicLong doubts = new AtomicLong();
    private final AtomicLong restores = new AtomicLong();
    private final ReentrantLock asking = new ReentrantLock();

    /** How many doubts there were when all types were last asked. Written with the lock held. */
    private volatile long asked;

    /** What mirrors a collection. Its methods may be called by any thread. */
    public interface Mirror {

        /** The type with its group. */
        String type();

        /** The newest version that has been seen or written, negative if there is none. */
        long newest();

        /**
         * Asks the API server.
         *
         * @return the collection's present version, negative if it cannot be asked or compared
         */
        long present() throws ApiException;

        /** What has been seen and written is of another history: all is to be read again. Must be brief. */
        void restored();
    }

    private static final class Type {

        private final List<Mirror> mirrors = new CopyOnWriteArrayList<>();
        private long settled;
        private boolean isComparable = true;

        long newest() {
            return mirrors.stream().mapToLong(Mirror::newest).max().orElse(-1);
        }
    }

    /** How often storage was put back, as far as a client knows: what is remembered by version counts until that changes. */
    public static long restores(ApiClient client) {
        return client.getHttpClient().interceptors().stream()
                .filter(StorageHistory.class::isInstance)
                .mapToLong(history -> ((StorageHistory) history).restores.get())
                .sum();
    }

    /** Asks for the mirror's type too, until the registration is closed. */
    public Registration add(Mirror mirror) {
        List<Mirror> mirrors = types.computeIfAbsent(mirror.type(), name -> new Type()).mirrors;
        mirrors.add(mirror);
        return () -> mirrors.remove(mirror);
    }

    /** A connection has failed or was ended early. */
    public void doubt() {
        // Not by a question that has failed: it would be asked again before each write.
        if (!asking.isHeldByCurrentThread()) {
            doubts.incrementAndGet();
        }
    }

    /**
     * Returns once it is known whether the history of a mirror's type goes on; the mirror has been told if it does not.
     *
     * @throws ApiException if the API server does not say
     */
    public void confirm(Mirror mirror) throws ApiException {
        Type type = types.get(mirror.type());
        if (type == null) {
            return;
        }
        lock();
        try {
            askAll();
            if (type.settled < asked) {
                ask(mirror.type(), type, asked);
            }
        } finally {
            asking.unlock();
        }
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        if (HostInterceptor.mutates(chain.request()) && asked != doubts.get()) {
            long before = restores.get();
            try {
                lock();
                try {
                    askAll();
                } finally {
                    asking.unlock();
                }
            } catch (ApiException e) {
                throw new IOException(e.getMessage(), e);
            }
            if (restores.get() != before) {
                throw new IOException("not sent: etcd was put back to an older state, and all is read again");
            }
        }
        return chain.proceed(chain.request());
    }

    private void lock() throws ApiException {
        try {
            asking.lockInterruptibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ApiRequests.failure("compare versions", e);
        }
    }

    /** Asks for all types. Some may be served by servers that are away; fails if not one is answered. */
    private void askAll() throws ApiException {
        long raised = doubts.get();
        if (asked == raised) {
            return;
        }
        ApiException failure = null;
        boolean answered = false;
        long before = restores.get();
        for (Map.Entry<String, Type> type : types.entrySet()) {
            try {
                ask(type.getKey(), type.getValue(), raised);
                answered = true;
            } catch (ApiException e) {
                failure = e;
                answered |= ANSWERS.contains(e.getCode());
            }
        }
        if (failure != null && !answered) {
            throw failure;
        }
        if (restores.get() != before) {
            types.values().stream()
                    .filter(type -> !type.isComparable)
                    .forEach(type -> type.mirrors.forEach(Mirror::restored));
        }
        asked = raised;
    }

    private void ask(String name, Type type, long raised) throws ApiException {
        long newest = type.newest();
        long present = newest < 0 ? newest : present(type);
        type.isComparable = present >= 0;
        type.settled = raised;
        if (type.isComparable && present < newest) {
            found(name, newest, present);
        }
    }

    private static long present(Type type) throws ApiException {
        for (Mirror mirror : type.mirrors) {
            try {
                return mirror.present();
            } catch (ApiException e) {
                // Another may be of a namespace that can be listed.
                if (e.getCode() != FORBIDDEN) {
                    throw e;
                }
            }
        }
        return -1;
    }

    /** A type has been found to be at an older version than it had. */
    public void found(String name, long newest, long present) {
        restores.incrementAndGet();
        log.atWarn()
                .addKeyValue("resource", name)
                .log(
                        "etcd was put back to an older state: {} are at version {} after {}; all of them are read again",
                        name,
                        present,
                        newest);
        Type type = types.get(name);
        if (type != null) {
            type.mirrors.forEach(Mirror::restored);
        }
    }
}
