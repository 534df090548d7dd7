package io.controllermanager.client.internal.access;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.ClientCertificate;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Credentials of a plugin, which may take long, fail or hang. A thread of their own asks it: shortly before they run out,
 * and when the API server answers 401, whose request is sent once more if there are others then. Meanwhile requests go on
 * with what is valid. One that finds nothing valid waits for a moment and fails.
 *
 * <p>client-go's {@code plugin/pkg/client/auth/exec} asks once they have run out, and has all requests wait. Here as there
 * credentials without an end are kept until a 401.
 *
 * <p>Safe for use by several threads. {@link #close} ends the thread and the plugin.
 */
public final class PluginCredentials implements Interceptor, AutoCloseable {

    /** Gives credentials. */
    interface Source {

        /** How messages call it. */
        String name();

        /** Asks it, however long that takes; one thread at a time. Interrupted, it ends what it has begun. */
        ExecCredential ask() throws CredentialException, InterruptedException;
    }

    private static final Logger log = LoggerFactory.getLogger(PluginCredentials.class);

    /** How long before their end credentials are asked for anew; a tenth of what they have left if that is shorter. */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    /** How long the plugin is left alone after a failure, or after it gave the same once more. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** How long requests wait for a plugin that was asked: most need less, and whoever is told to stop has 3 s. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How often the clock is looked at, which may be set; and the machine may sleep. */
    private static final long LOOK_MILLIS = 1_000;

    private final Source source;
    private final Clock clock;
    private final Thread thread = new Thread(this::work, "credential-plugin");
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Object lock = new Object();
    private volatile @Nullable ExecCredential present;
    private volatile @Nullable String failure;
    private volatile Runnable onLack = () -> {};

    /** Null while the plugin is not asked. */
    @GuardedBy("lock")
    private @Nullable Question open;

    @GuardedBy("lock")
    private long notBefore;

    @GuardedBy("lock")
    private @Nullable Instant dueAt;

    /** Has an end when the plugin has answered or failed. */
    private record Question(CountDownLatch end, long nanos) {}

    private PluginCredentials(Source source, Clock clock) {
        this.source = source;
        this.clock = clock;
        this.notBefore = clock.nanoTime();
        thread.setDaemon(true);
    }

    /**
     * Asks for the first time, and waits for the answer.
     *
     * @throws ApiAccessException if there is none
     */
    static PluginCredentials start(Source source, Clock clock) {
        PluginCredentials started = new PluginCredentials(source, clock);
        started.thread.start();
        try {
            Objects.requireNonNull(started.ask()).end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (started.present == null) {
            started.close();
            throw new ApiAccessException(started.lack());
        }
        return started;
    }

    /** Those that a client has. */
    public static Stream<PluginCredentials> of(ApiClient client) {
        return of(client.getHttpClient().interceptors());
    }

    public static Stream<PluginCredentials> of(List<Interceptor> interceptors) {
        return interceptors.stream().filter(PluginCredentials.class::isInstance).map(PluginCredentials.class::cast);
    }

    /** The newest certificate, null if there is none. */
    @Nullable
    ClientCertificate certificate() {
        return Objects.requireNonNull(present).certificate();
    }

    /** Why the plugin gave nothing the last time, null if it did. */
    @Nullable
    public String failure() {
        return failure;
    }

    /** Runs, on this object's own thread, each time that the plugin has failed and nothing is valid any more. */
    public void onLack(Runnable listener) {
        onLack = listener;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        ExecCredential sent = valid();
        if (sent == null) {
            await(ask());
            sent = valid();
        }
        if (sent == null) {
            throw new CredentialException(lack());
        }
        Response response = chain.proceed(authorized(chain.request(), sent));
        RequestBody body = chain.request().body();
        if (response.code() != 401 || (body != null && body.isOneShot())) {
            return response;
        }
        if (sent.provesAs(present)) {
            await(ask());
        }
        ExecCredential other = valid();
        if (other == null || other.provesAs(sent)) {
            return response;
        }
        response.close();
        return chain.proceed(authorized(chain.request(), other));
    }

    private static Request authorized(Request request, ExecCredential credential) {
        String token = credential.token();
        return token.isEmpty() ? request : BearerTokens.authorized(request, token);
    }

    private @Nullable ExecCredential valid() {
        ExecCredential newest = present;
        return newest == null || newest.end() == null || clock.now().isBefore(newest.end()) ? newest : null;
    }

    private String lack() {
        String reason = failure;
        return reason == null ? source.name() + " has not answered yet" : reason;
    }

    /** Has the plugin asked, unless it is; null while it is left alone. */
    private @Nullable Question ask() {
        synchronized (lock) {
            boolean leftAlone = clock.nanoTime() - notBefore < 0 && (failure != null || valid() != null);
            if (open == null && !leftAlone) {
                open = new Question(new CountDownLatch(1), clock.nanoTime());
                lock.notifyAll();
            }
            return open;
        }
    }

    /** For a moment, after which what there is has to do. */
    private void await(@Nullable Question question) throws InterruptedIOException {
        if (question == null) {
            return;
        }
        try {
            long age = clock.nanoTime() - question.nanos;
            boolean ignored = question.end.await(PATIENCE.toNanos() - age, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for " + source.name());
        }
    }

    private void work() {
        try {
            while (true) {
                Question question = next();
                try {
                    take(source.ask());
                } catch (CredentialException e) {
                    fail(String.valueOf(e.getMessage()));
                } catch (RuntimeException | Error e) {
                    fail(source.name() + ": " + FailureMessage.of(e));
                } finally {
                    question.end.countDown();
                }
            }
        } catch (InterruptedException e) {
            // Closed.
        } finally {
            ended.complete(null);
        }
    }

    /** Waits until the plugin is to be asked. */
    private Question next() throws InterruptedException {
        synchronized (lock) {
            while (open == null) {
                if (dueAt == null || clock.now().isBefore(dueAt) || ask() == null) {
                    lock.wait(LOOK_MILLIS);
                }
            }
            return open;
        }
    }

    private void take(ExecCredential given) {
        Instant now = clock.now();
        Instant end = given.end();
        // One that has run out already is for the API server to judge: the clock of this machine may be wrong.
        boolean over = end != null && !end.isAfter(now);
        synchronized (lock) {
            notBefore = clock.nanoTime() + (given.provesAs(present) ? PAUSE.toNanos() : 0);
            dueAt = end == null ? null : over ? now.plus(PAUSE) : end.minus(ahead(Duration.between(now, end)));
            present = over ? new ExecCredential(given.token(), given.certificate(), null) : given;
            open = null;
        }
        if (failure != null) {
            failure = null;
            log.atInfo().addKeyValue("credential", source.name()).log("{} gives credentials again", source.name());
        }
    }

    private static Duration ahead(Duration left) {
        Duration tenth = left.dividedBy(10);
        return tenth.compareTo(AHEAD) < 0 ? tenth : AHEAD;
    }

    private void fail(String reason) {
        boolean known = reason.equals(failure);
        boolean valid = valid() != null;
        synchronized (lock) {
            failure = reason;
            notBefore = clock.nanoTime() + PAUSE.toNanos();
            open = null;
        }
        if (present != null && !known) {
            String rest = valid ? "what it gave before stays in use" : "nothing that it gave is valid any more";
            log.atWarn().addKeyValue("credential", source.name()).log("{}; {}", reason, rest);
        }
        if (!valid) {
            onLack.run();
        }
    }

    /**
     * Ends the thread, and the plugin if it is being asked; returns when that is done, or after a second, also where the caller
     * is interrupted.
     */
    @Override
    public void close() {
        thread.interrupt();
        ended.completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
    }
}
