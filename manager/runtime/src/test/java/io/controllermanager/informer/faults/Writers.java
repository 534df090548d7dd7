package io.controllermanager.informer.faults;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.access.ApiAccessResolver;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HttpSettings;
import io.controllermanager.client.internal.connection.RequestLimits;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.Timer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;

/**
 * Creates, changes and deletes some hundred objects all the time, evenly and over connections of its own that nothing goes
 * wrong with. While the server itself is away it tries again.
 */
final class Writers implements AutoCloseable {

    /** All writers' together. */
    static final int PER_SECOND = 200;

    static final int OBJECTS = 300;

    private static final int THREADS = 4;
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);
    private static final HttpSettings HTTP = new HttpSettings(
            Duration.ofSeconds(3), Duration.ofSeconds(5), Duration.ofSeconds(2), RequestLimits.NONE, "writers");

    private final Timer timer;
    private final String namespace;
    private final ApiConnection connection;
    private final ResourceClient<V1ConfigMap> client;
    private final AtomicLong written = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLongArray answered = new AtomicLongArray(THREADS);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    /**
     * Starts to write.
     *
     * @param seed decides what is written, in each thread's order
     */
    Writers(Path kubeconfig, String namespace, Timer timer, long seed) {
        this.timer = timer;
        this.namespace = namespace;
        this.connection =
                ApiConnection.builder(Clock.system(), timer).http(HTTP).build();
        connection.connect(new ApiAccessResolver().resolve(kubeconfig.toString(), null));
        this.client = new ResourceClient<>(connection.apiClient(), ResourceTypes.CONFIG_MAP);
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            Thread thread = new Thread(() -> write(number, new Random(seed + number)), "writer-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** How many writes have been answered. */
    long written() {
        return written.get();
    }

    /** How often each of the writers has had an answer, be it that the object is not there. */
    long[] answered() {
        return IntStream.range(0, THREADS).mapToLong(answered::get).toArray();
    }

    /** How many failed otherwise than by a conflict. */
    long failed() {
        return failed.get();
    }

    /** Beside the usual writes, so many updates as fast as they go; gives how many were answered. */
    long burst(int updates, int burstThreads) throws InterruptedException {
        AtomicLong left = new AtomicLong(updates);
        AtomicLong done = new AtomicLong();
        List<Thread> helpers = new ArrayList<>();
        for (int i = 0; i < burstThreads; i++) {
            int number = i;
            Thread thread = new Thread(
                    () -> {
                        Random random = new Random(number);
                        while (left.getAndDecrement() > 0) {
                            if (attempt(() -> client.update(object(name(random.nextInt(OBJECTS)), random))) == 0) {
                                done.incrementAndGet();
                            }
                        }
                    },
                    "burst-" + i);
            helpers.add(thread);
            thread.start();
        }
        for (Thread helper : helpers) {
            helper.join();
        }
        return done.get();
    }

    /** Writes one object that is not among the usual ones, if it is not there. */
    boolean create(V1ConfigMap object) throws ApiException {
        try {
            client.create(object);
            return true;
        } catch (ApiException e) {
            // By an earlier try, whose answer was lost.
            if (e.getCode() == 409) {
                return false;
            }
            throw e;
        }
    }

    boolean delete(String name) throws ApiException {
        return client.delete(namespace, name);
    }

    private void write(int number, Random random) {
        BitSet there = new BitSet();
        long next = System.nanoTime();
        long interval = Duration.ofSeconds(1).toNanos() * THREADS / PER_SECOND;
        try {
            while (!stopped) {
                next = Math.max(
                        next + interval,
                        System.nanoTime() - Duration.ofSeconds(1).toNanos());
                timer.sleep(Duration.ofNanos(next - System.nanoTime()));
                // A thread's objects are its own.
                int object = random.nextInt(OBJECTS / THREADS) * THREADS + number;
                int chance = random.nextInt(10);
                V1ConfigMap content = object(name(object), random);
                int code;
                if (!there.get(object)) {
                    code = attempt(() -> client.create(content));
                    there.set(object, code == 0 || code == 409);
                } else if (chance == 0) {
                    code = attempt(() -> client.delete(namespace, name(object)));
                    there.set(object, code != 0 && code != 404);
                } else {
                    code = attempt(() -> client.update(content));
                    there.set(object, code != 404);
                }
                if (code == -1) {
                    timer.sleep(AFTER_FAILURE);
                } else {
                    answered.incrementAndGet(number);
                }
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    private interface Write {
        Object send() throws ApiException;
    }

    /** 0 if it was done, 404 or 409 if it could not be, else -1. */
    private int attempt(Write write) {
        try {
            write.send();
            written.incrementAndGet();
            return 0;
        } catch (ApiException e) {
            if (e.getCode() == 404 || e.getCode() == 409) {
                return e.getCode();
            }
            failed.incrementAndGet();
            return -1;
        }
    }

    private static String name(int object) {
        return "object-" + object;
    }

    private V1ConfigMap object(String name, Random random) {
        byte[] bytes = new byte[50 + random.nextInt(150)];
        random.nextBytes(bytes);
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).labels(Map.of("kind", "usual")))
                .data(Map.of("value", java.util.HexFormat.of().formatHex(bytes)));
    }

    /** Ends them before the timer that they sleep by can be closed. */
    @Override
    public void close() {
        stopped = true;
        threads.forEach(Thread::interrupt);
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        connection.close();
    }
}
