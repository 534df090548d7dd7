package io.controllermanager.testing.failover;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.WriteFence;
import io.controllermanager.spring.autoconfigure.ApiClientCustomizer;
import io.controllermanager.time.Clock;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What a replica has beside the executable jar, brought in by {@code spring.main.sources}: a wall clock that can be moved and
 * a fence that can be taken away by its {@link Controls}, a record of its reconciles, and a stamp on each write that says when
 * it came to the fence. All times are {@link System#nanoTime()}, which on Linux counts alike in all processes of a machine.
 */
@Configuration(proxyBeanMethods = false)
public class WatchedReplica {

    /** The file of the {@link Controls}. */
    static final String CONTROLS = "failover.controls";

    /** The file to which reconciles are recorded, one event a line. */
    static final String RECORD = "failover.record";

    /** The file to which the port is written. */
    static final String PORT = "failover.port";

    /** What a reconcile's begin and end are called in the record: with its id; when the gate was asked, when, and the namespace. */
    static final String BEGIN = "B";

    static final String END = "E";

    /** What comes between the user agent and a write's time. */
    static final String STAMP = " at=";

    private static final String RECONCILE = "controller.reconcile";
    private static final String RECONCILE_ID = "reconcileID";
    private static final String NAMESPACE = "namespace";

    /** How long a write takes to come to where the fence was: so long that some are on their way at any time. */
    private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How far down the stack whoever asks may be. */
    private static final int FRAMES = 6;

    private static final StackWalker CALLERS = StackWalker.getInstance();

    /** When this thread last asked whether the replica leads, and so was told; nothing if not since its last reconcile. */
    private static final ThreadLocal<@Nullable Long> ASKED = new ThreadLocal<>();

    /** What is done to this replica. */
    @Bean
    Controls controls(@Value("${" + CONTROLS + "}") Path file) throws IOException {
        return Controls.open(file);
    }

    /** Leaves the monotonic clock as it is. */
    @Bean
    Clock movableClock(Controls controls) {
        return new Clock() {
            @Override
            public long nanoTime() {
                long now = System.nanoTime();
                if (asksWhetherItLeads()) {
                    ASKED.set(now);
                }
                return now;
            }

            @Override
            public Instant now() {
                return Instant.now().plus(controls.wallClockError());
            }
        };
    }

    /** The gate of reconciles, and the fence, compare the time with that until which leadership is proven. */
    private static boolean asksWhetherItLeads() {
        return CALLERS.walk(frames -> frames.limit(FRAMES)
                .anyMatch(frame -> frame.getMethodName().equals("isLeading")
                        && frame.getClassName().startsWith("io.controllermanager.leaderelection.")));
    }

    /** Tells where the replica listens, which nobody can know before. */
    @Bean
    ApplicationListener<ApplicationStartedEvent> toldPort(@Value("${" + PORT + "}") Path file) {
        return event -> {
            try {
                Path written = Files.writeString(
                        file.resolveSibling(file.getFileName() + ".part"),
                        event.getApplicationContext().getEnvironment().getRequiredProperty("local.server.port"));
                Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** Puts a stamp on each request right before the fence is asked. */
    @Bean
    ApiClientCustomizer stampedWrites(Controls controls, ObjectProvider<ApiConnection> connections) {
        return client -> {
            OkHttpClient.Builder http = client.getHttpClient().newBuilder();
            List<Interceptor> interceptors = http.interceptors();
            interceptors.add(indexOfFence(interceptors), chain -> {
                if (controls.fenceIsAway() && isFenced(chain.request())) {
                    connections.getObject().writeFence(WriteFence.open());
                    linger();
                }
                return stamp(chain);
            });
            client.setHttpClient(http.build());
        };
    }

    /** Whether it is one of the writes of reconciles, and not for the Lease or Events, which have clients of their own. */
    private static boolean isFenced(Request request) {
        String path = request.url().encodedPath();
        return !request.method().equals("GET") && !path.contains("/leases") && !path.contains("/events");
    }

    /** Heeds no interrupt, so that it is the fence alone that could keep what comes next from being written. */
    private static void linger() {
        long end = System.nanoTime() + LINGER_NANOS;
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(end - System.nanoTime());
            boolean ignored = Thread.interrupted();
        }
    }

    private static int indexOfFence(List<Interceptor> interceptors) {
        for (int i = 0; i < interceptors.size(); i++) {
            // Not public, and no test's business but this one's.
            if (interceptors.get(i).getClass().getSimpleName().equals("FenceCheck")) {
                return i;
            }
        }
        throw new IllegalStateException("No fence among " + interceptors);
    }

    private static okhttp3.Response stamp(Interceptor.Chain chain) throws IOException {
        Request request = chain.request();
        return chain.proceed(request.newBuilder()
                .header("User-Agent", request.header("User-Agent") + STAMP + System.nanoTime())
                .build());
    }

    /** Found by Spring Boot, which hands it to the registry. */
    @Bean
    ObservationHandler<Observation.Context> recordedReconciles(@Value("${" + RECORD + "}") String file)
            throws FileNotFoundException {
        return new Recorder(new FileOutputStream(file, true));
    }

    /** Writes a line at once, so that it is there whatever ends the process. */
    private record Recorder(FileOutputStream file) implements ObservationHandler<Observation.Context> {

        @Override
        public boolean supportsContext(Observation.Context context) {
            return RECONCILE.equals(context.getName());
        }

        @Override
        public void onStart(Observation.Context context) {
            Long asked = ASKED.get();
            long now = System.nanoTime();
            write(BEGIN, context, (asked == null ? now : asked) + " " + now + " " + value(context, NAMESPACE));
        }

        @Override
        public void onStop(Observation.Context context) {
            ASKED.remove();
            write(END, context, Long.toString(System.nanoTime()));
        }

        private static String value(Observation.Context context, String key) {
            return Objects.requireNonNull(context.getHighCardinalityKeyValue(key))
                    .getValue();
        }

        private void write(String what, Observation.Context context, String times) {
            try {
                file.write((what + " " + value(context, RECONCILE_ID) + " " + times + "\n")
                        .getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
