package io.controllermanager.client.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.LinesWith;
import io.controllermanager.testing.support.Waiting;
import io.controllermanager.time.internal.VirtualTime;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** When a plugin is asked and who waits for it, in virtual time; the plugin and the server are the test's. */
class PluginCredentialsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final VirtualTime time = new VirtualTime();
    private final BlockingQueue<Callable<ExecCredential>> answers = new LinkedBlockingQueue<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicBoolean wasInterrupted = new AtomicBoolean();
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final List<String> lacks = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Logger logger = (Logger) LoggerFactory.getLogger(PluginCredentials.class);
    private final String name = "plugin " + System.identityHashCode(this);
    private final ListAppender<ILoggingEvent> logged = LinesWith.text(name);
    private volatile @Nullable String good;
    private @Nullable PluginCredentials credentials;

    /** Gives what the test has put into the queue, and waits while there is nothing. */
    private final PluginCredentials.Source source = new PluginCredentials.Source() {
        @Override
        public String name() {
            return name;
        }

        @Override
        public ExecCredential ask() throws CredentialException, InterruptedException {
            asked.incrementAndGet();
            try {
                return answers.take().call();
            } catch (CredentialException | RuntimeException e) {
                throw e;
            } catch (InterruptedException e) {
                wasInterrupted.set(true);
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    };

    @BeforeEach
    void listen() {
        logger.addAppender(logged);
    }

    @AfterEach
    void close() {
        logger.detachAppender(logged);
        threads.shutdownNow();
        if (credentials != null) {
            credentials.close();
        }
    }

    private void gives(String token, @Nullable Duration lifetime) {
        Instant end = lifetime == null ? null : time.now().plus(lifetime);
        answers.add(() -> new ExecCredential(token, null, end));
    }

    private void fails(String why) {
        answers.add(() -> {
            throw new CredentialException(name + " " + why);
        });
    }

    private PluginCredentials start() {
        PluginCredentials started = PluginCredentials.start(source, time);
        started.onLack(() -> lacks.add(started.failure()));
        credentials = started;
        return started;
    }

    /** Sends a request, and gives the status of the answer. */
    private int send() throws IOException {
        Interceptor server = chain -> {
            String token = String.valueOf(chain.request().header("Authorization"));
            sent.add(token);
            String accepted = good;
            return new Response.Builder()
                    .request(chain.request())
                    .protocol(Protocol.HTTP_1_1)
                    .code(accepted == null || token.equals("Bearer " + accepted) ? 200 : 401)
                    .message("")
                    .body(ResponseBody.create("", null))
                    .build();
        };
        OkHttpClient client = new OkHttpClient.Builder()
                .addInterceptor(credentials)
                .addInterceptor(server)
                .build();
        try (Response response = client.newCall(
                        new Request.Builder().url("http://127.0.0.1/").build())
                .execute()) {
            return response.code();
        }
    }

    private String lastSent() {
        return sent.get(sent.size() - 1);
    }

    private List<String> lines(Level level) {
        return List.copyOf(logged.list).stream()
                .filter(event -> event.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private void awaitAsked(int times) {
        await().until(() -> asked.get() == times);
    }

    @Test
    void requestsGoOnWithTheOldOneWhileThePluginHangs() throws Exception {
        gives("old", MINUTE.multipliedBy(10));
        start();
        time.advance(MINUTE.multipliedBy(9));
        awaitAsked(2);

        assertThat(send()).isEqualTo(200);
        time.advance(MINUTE.minusSeconds(1));
        assertThat(send()).isEqualTo(200);
        assertThat(sent).containsExactly("Bearer old", "Bearer old");
        assertThat(credentials.failure()).isNull();

        gives("new", MINUTE.multipliedBy(10));
        await().until(() -> {
            send();
            return lastSent().equals("Bearer new");
        });
        assertThat(asked).hasValue(2);
    }

    @Test
    void aRequestThatFindsNothingValidFailsSoonAndSaysWhy() throws Exception {
        gives("old", MINUTE.multipliedBy(10));
        start();
        time.advance(MINUTE.multipliedBy(9));
        awaitAsked(2);
        time.advance(MINUTE);

        assertThatExceptionOfType(CredentialException.class)
                .isThrownBy(this::send)
                .withMessage(name + " has not answered yet");

        fails("is ill");
        await().until(() -> credentials.failure() != null);
        assertThatExceptionOfType(CredentialException.class)
                .isThrownBy(this::send)
                .withMessage(name + " is ill");
        assertThat(sent).isEmpty();
        assertThat(lines(Level.WARN)).containsExactly(name + " is ill; nothing that it gave is valid any more");
        assertThat(lacks).containsExactly(name + " is ill");
    }

    @Test
    void waitsForAPluginThatIsQuickEnough() throws Exception {
        gives("old", MINUTE);
        start();
        time.advance(MINUTE);
        awaitAsked(2);
        Future<Integer> request = threads.submit(this::send);

        gives("new", MINUTE);

        assertThat(Waiting.on(request)).isEqualTo(200);
        assertThat(sent).containsExactly("Bearer new");
    }

    @Test
    void aRequestThatWaitsCanBeInterrupted() throws Exception {
        gives("old", MINUTE);
        start();
        time.advance(MINUTE);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        List<Throwable> outcome = new CopyOnWriteArrayList<>();
        Thread asking = new Thread(() -> {
            begun.countDown();
            Thread.currentThread().interrupt();
            try {
                send();
            } catch (Throwable e) {
                outcome.add(e);
            }
            over.countDown();
        });
        asking.start();
        Waiting.on(over);

        assertThat(outcome).singleElement().isInstanceOf(InterruptedIOException.class);
    }

    @Test
    void leavesAPluginThatFailedAloneForAMoment() throws Exception {
        gives("old", MINUTE.multipliedBy(10));
        start();
        fails("is ill");
        fails("is ill");
        time.advance(MINUTE.multipliedBy(9));
        await().until(() -> credentials.failure() != null);
        good = "other";
        assertThat(send()).isEqualTo(401);
        time.advance(Duration.ofSeconds(4));
        assertThat(send()).isEqualTo(401);
        assertThat(asked).hasValue(2);

        time.advance(Duration.ofSeconds(1));
        awaitAsked(3);
        await().until(answers::isEmpty);

        gives("other", MINUTE.multipliedBy(10));
        time.advance(Duration.ofSeconds(5));
        await().until(() -> send() == 200);
        assertThat(lines(Level.WARN)).containsExactly(name + " is ill; what it gave before stays in use");
        await().until(() -> lines(Level.INFO).equals(List.of(name + " gives credentials again")));
        assertThat(lacks).isEmpty();
    }

    @Test
    void doesNotAskTimeAndAgainWhereTheSameIsRefused() throws Exception {
        gives("same", null);
        start();
        good = "other";
        gives("same", null);

        for (int i = 0; i < 10; i++) {
            assertThat(send()).isEqualTo(401);
        }
        assertThat(asked).hasValue(2);

        time.advance(Duration.ofSeconds(5));
        gives("other", null);
        assertThat(send()).isEqualTo(200);
        assertThat(asked).hasValue(3);
    }

    @Test
    void asksAtOnceForOneThatRunsOutThoughItGaveTheSameAMomentAgo() throws Exception {
        gives("old", Duration.ofSeconds(20));
        start();
        Instant end = time.now().plusSeconds(20);
        answers.add(() -> new ExecCredential("old", null, end));
        time.advance(Duration.ofSeconds(18));
        awaitAsked(2);
        await().until(answers::isEmpty);
        assertThat(send()).isEqualTo(200);

        gives("new", MINUTE);
        time.advance(Duration.ofSeconds(2));

        assertThat(send()).isEqualTo(200);
        assertThat(lastSent()).isEqualTo("Bearer new");
    }

    /** The clock of this machine may be ahead by more than a token lives. */
    @Test
    void sendsOneThatHasRunOutWhenItIsGiven() throws Exception {
        gives("skewed", MINUTE.negated());
        start();

        assertThat(send()).isEqualTo(200);
        assertThat(sent).containsExactly("Bearer skewed");
        assertThat(asked).hasValue(1);

        time.advance(Duration.ofSeconds(5));
        gives("next", MINUTE.negated());
        await().until(() -> {
            send();
            return lastSent().equals("Bearer next");
        });
        assertThat(asked).hasValue(2);
    }

    @Test
    void survivesAnErrorOfTheSource() throws Exception {
        gives("old", null);
        start();
        good = "new";
        answers.add(() -> {
            throw new IllegalStateException("a bug");
        });
        assertThat(send()).isEqualTo(401);
        await().until(() -> (name + ": IllegalStateException: a bug").equals(credentials.failure()));

        gives("new", null);
        time.advance(Duration.ofSeconds(5));
        assertThat(send()).isEqualTo(200);
    }

    @Test
    void aStartThatFailsSaysSoAndEndsTheThread() {
        fails("is ill");

        assertThatExceptionOfType(ApiAccessException.class)
                .isThrownBy(this::start)
                .withMessage(name + " is ill");
        assertThat(logged.list).isEmpty();
    }

    @Test
    void aStartThatWaitsCanBeInterrupted() throws Exception {
        Future<?> start = threads.submit(this::start);
        awaitAsked(1);

        threads.shutdownNow();

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> Waiting.on(start))
                .withCauseInstanceOf(ApiAccessException.class);
        await().untilTrue(wasInterrupted);
    }

    @Test
    void closingEndsThePluginThatIsBeingAsked() throws Exception {
        gives("old", MINUTE);
        start();
        time.advance(MINUTE);
        awaitAsked(2);

        credentials.close();

        assertThat(wasInterrupted).isTrue();
    }

    @Test
    void closingWaitsForThePluginsEndThoughTheCallerIsInterrupted() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Thread caller = Thread.currentThread();
        gives("old", MINUTE);
        start();
        answers.add(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                await().until(() -> caller.getState() == Thread.State.WAITING);
                ended.set(true);
            }
            throw new CredentialException("ended");
        });
        time.advance(MINUTE);
        awaitAsked(2);
        await().until(answers::isEmpty);

        Thread.currentThread().interrupt();
        credentials.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(ended).isTrue();
    }
}
