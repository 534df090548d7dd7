package io.controllermanager.client.internal.connection;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.controllermanager.client.internal.request.ResourceVersions;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Request;
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

    /** What a request for a list may say that the collection's version does not depend on. */
    private static final List<String> NOT_FOR_ALL =
            List.of("watch", "timeoutSeconds", "resourceVersion", "labelSelector", "shardSelector");

    private final List<Mirror> mirrors = new CopyOnWriteArrayList<>();
    private final AtomicLong doubts = new AtomicLong();
    private final AtomicLong restores = new AtomicLong();
    private final ReentrantLock asking = new ReentrantLock();

    /** By type, how many doubts there were when it was last asked for. Used with the lock held. */
    private final Map<String, Long> settled = new HashMap<>();

    /** Types whose last question got no answer: their server may be away while others are there. Used with the lock held. */
    private final Set<String> silent = new HashSet<>();

    /** How many doubts there were when all types were last asked for, as far as they answered. Written with the lock held. */
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

    /** How often storage was put back, as far as a client knows: what is remembered by version counts until that changes. */
    public static long restores(ApiClient client) {
        return client.getHttpClient().interceptors().stream()
                .filter(StorageHistory.class::isInstance)
                .mapToLong(history -> ((StorageHistory) history).restores.get())
                .sum();
    }

    /**
     * A collection's present version, as new as it is stored, since it is asked for without one; negative if it is no number.
     * Asks for one object, and waits five seconds at most.
     *
     * @param list a request for a list
     * @param accept the media type to ask for
     */
    public static long presentVersion(ApiRequests requests, Request list, String accept) throws RequestFailedException {
        HttpUrl.Builder url = list.url().newBuilder().setQueryParameter("limit", "1");
        NOT_FOR_ALL.forEach(url::removeAllQueryParameters);
        Request one = RetryAfter.leftToCaller(
                list.newBuilder().url(url.build()).header("Accept", accept).build());
        String what = "list " + list.url().encodedPath();
        Call call = requests.call(one);
        call.timeout().timeout(5, TimeUnit.SECONDS);
        try (Response response = call.execute()) {
            if (!response.isSuccessful()) {
                throw ApiRequests.failure(what, response);
            }
            JsonObject metadata = JsonParser.parseReader(response.body().charStream())
                    .getAsJsonObject()
                    .getAsJsonObject("metadata");
            return ResourceVersions.number(metadata.get("resourceVersion").getAsString());
        } catch (IOException e) {
            throw ApiRequests.failure(what, e);
        } catch (RuntimeException e) {
            // No list, or one without a version.
            return -1;
        }
    }

    /** Asks for the mirror's type too, until the registration is closed. */
    public Registration add(Mirror mirror) {
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
        lock();
        try {
            askAll();
            String type = mirror.type();
            if (settled.getOrDefault(type, 0L) < asked) {
                ask(type, of(type), asked);
                silent.remove(type);
            }
        } finally {
            asking.unlock();
        }
    }

    private List<Mirror> of(String type) {
        return mirrors.stream().filter(mirror -> mirror.type().equals(type)).toList();
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

    /**
     * Asks for all types. Some may be served by servers that are away: one that did not answer is left to its own watch.
     * Fails if not one is answered.
     */
    private void askAll() throws ApiException {
        long raised = doubts.get();
        if (asked == raised) {
            return;
        }
        ApiException failure = null;
        boolean answered = false;
        long before = restores.get();
        List<Mirror> uncomparable = new ArrayList<>();
        Map<String, List<Mirror>> types = mirrors.stream().collect(Collectors.groupingBy(Mirror::type));
        boolean nobodyAnswered = silent.containsAll(types.keySet());
        int unanswered = 0;
        for (Map.Entry<String, List<Mirror>> type : types.entrySet()) {
            if (silent.contains(type.getKey()) && !nobodyAnswered) {
                continue;
            }
            try {
                if (!ask(type.getKey(), type.getValue(), raised)) {
                    uncomparable.addAll(type.getValue());
                }
                answered = true;
                silent.remove(type.getKey());
            } catch (ApiException e) {
                failure = e;
                if (e.getCode() == 0) {
                    silent.add(type.getKey());
                    unanswered++;
                }
                if (e.getCode() == 429 || (!answered && unanswered == 2)) {
                    // The others would wait for as long.
                    throw e;
                }
                // A type that is not served; an API server that comes up says 503 instead.
                answered |= e.getCode() == 404;
            }
        }
        if (failure != null && !answered) {
            throw failure;
        }
        if (restores.get() != before) {
            uncomparable.forEach(Mirror::restored);
        }
        asked = raised;
    }

    /** Whether the answer says anything. */
    private boolean ask(String type, List<Mirror> ofType, long raised) throws ApiException {
        long newest = ofType.stream().mapToLong(Mirror::newest).max().orElse(-1);
        long present = newest < 0 ? newest : present(ofType);
        settled.put(type, raised);
        if (present >= 0 && present < newest) {
            found(type, newest, present);
        }
        return present >= 0;
    }

    private static long present(List<Mirror> ofType) throws ApiException {
        ApiException failure = null;
        for (Mirror mirror : ofType) {
            try {
                return mirror.present();
            } catch (ApiException e) {
                // Another may be of a namespace that can be listed.
                failure = e;
                if (e.getCode() != 403) {
                    break;
                }
            }
        }
        throw Objects.requireNonNull(failure);
    }

    /** A type has been found to be at an older version than it had. */
    public void found(String type, long newest, long present) {
        restores.incrementAndGet();
        log.atWarn()
                .addKeyValue("resource", type)
                .log(
                        "etcd was put back to an older state: {} are at version {} after {}; all of them are read again",
                        type,
                        present,
                        newest);
        of(type).forEach(Mirror::restored);
    }
}
