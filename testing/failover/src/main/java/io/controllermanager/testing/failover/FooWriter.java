package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.foo.Foo;
import io.controllermanager.foo.FooSpec;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Creates, scales and deletes Foos all the time, and can say which have not been reconciled. */
final class FooWriter {

    private static final int MOST_REPLICAS = 9;
    private static final int FILLERS = 8;

    /**
     * How long a Foo may wait for its Deployment before nothing else is written until it has one. What comes with a list is
     * reconciled after live changes. If the replicas cannot keep up with these, it would wait for ever.
     */
    private static final Duration BEHIND = Duration.ofSeconds(30);

    private final ResourceClient<Foo> foos;
    private final ResourceClient<V1Deployment> deployments;
    private final Random random;
    private final List<String> namespaces;
    private final int most;
    private final String prefix;
    private final long periodNanos;
    private final int percentEdits;
    private final Thread thread = new Thread(this::run, "foo-writer");
    private final List<Key> keys = new ArrayList<>();
    private int made;
    private volatile boolean heldBack;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    private record Key(@Nullable String namespace, String name) {}

    /**
     * Writes nothing before {@link #start}.
     *
     * @param work where Foos are, and how many at most
     * @param prefix how the names of its Foos begin
     * @param perSecond how many writes a second
     * @param percentEdits how many of 100 are edits; the others create and delete in equal parts
     * @param seed for what to write
     */
    FooWriter(ApiClient client, Work work, String prefix, int perSecond, int percentEdits, long seed) {
        this.foos = new ResourceClient<>(client, Foo.TYPE);
        this.deployments = new ResourceClient<>(client, ResourceTypes.DEPLOYMENT);
        this.namespaces = work.namespaceNames();
        this.most = work.foos();
        this.prefix = prefix;
        this.periodNanos = Duration.ofSeconds(1).toNanos() / perSecond;
        this.percentEdits = percentEdits;
        this.random = new Random(seed);
        thread.setDaemon(true);
    }

    /** Creates as many Foos as there may be, as fast as it goes; before it begins. */
    void fill() throws IOException {
        List<Key> made = IntStream.range(0, most).mapToObj(i -> newKey()).toList();
        ExecutorService threads = Executors.newFixedThreadPool(FILLERS);
        try {
            for (Future<?> create : made.stream()
                    .map(key -> threads.submit(() -> create(key, 1)))
                    .toList()) {
                create.get();
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new IOException("Foos could not be made", e);
        } finally {
            threads.shutdownNow();
        }
        keys.addAll(made);
    }

    private Key newKey() {
        Key key = new Key(namespaces.get(made % namespaces.size()), String.format("%s-%06d", prefix, made));
        made++;
        return key;
    }

    private Foo create(Key key, int replicas) throws ApiException {
        return foos.create(new Foo(
                new V1ObjectMeta().name(key.name()).namespace(key.namespace()), new FooSpec(key.name(), replicas)));
    }

    /** Begins. */
    void start() {
        thread.start();
    }

    private void run() {
        try {
            writeUntilStopped();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void writeUntilStopped() {
        long due = System.nanoTime();
        while (!stopped) {
            try {
                if (!heldBack) {
                    write();
                }
            } catch (ApiException e) {
                // The API server is away. Whether it did what it was asked nobody knows; nobody needs to.
            }
            // What an outage has kept from being written is not made up for.
            due = Math.max(due + periodNanos, System.nanoTime() - periodNanos);
            while (!stopped && System.nanoTime() < due) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
    }

    private void write() throws ApiException {
        int chance = random.nextInt(100);
        if (keys.size() < most / 2 || (chance >= percentEdits && keys.size() < most && chance % 2 == 0)) {
            Key key = newKey();
            keys.add(key);
            create(key, replicas());
        } else if (chance < percentEdits) {
            Key key = keys.get(random.nextInt(keys.size()));
            foos.patch(key.namespace(), key.name(), new Patch.Merge("{\"spec\":{\"replicas\":" + replicas() + "}}"));
        } else {
            Key key = keys.remove(random.nextInt(keys.size()));
            foos.delete(key.namespace(), key.name());
        }
    }

    private int replicas() {
        return 1 + random.nextInt(MOST_REPLICAS);
    }

    /**
     * Waits until a Foo that is made now has its Deployment, or that is given up.
     *
     * @return whether it has
     */
    boolean awaitReconcile(String namespace, String name, BooleanSupplier givenUp) {
        await("Foo " + name + " is there").until(() -> {
            try {
                return foos.get(namespace, name) != null
                        || create(new Key(namespace, name), 1).getMetadata().getUid() != null;
            } catch (ApiException e) {
                return false;
            }
        });
        boolean[] made = new boolean[1];
        long since = System.nanoTime();
        try {
            await("Foo " + name + " has its Deployment").until(() -> {
                heldBack = System.nanoTime() - since > BEHIND.toNanos();
                try {
                    made[0] = deployments.get(namespace, name) != null;
                } catch (ApiException e) {
                    return false;
                }
                return made[0] || givenUp.getAsBoolean();
            });
        } finally {
            heldBack = false;
        }
        return made[0];
    }

    /** Foos whose Deployment is not what they want, or whose status does not tell of it. */
    List<String> wrong() throws ApiException {
        Map<Key, V1Deployment> byName = new HashMap<>();
        for (V1Deployment deployment : deployments.list(null)) {
            V1ObjectMeta metadata = deployment.getMetadata();
            byName.put(new Key(metadata.getNamespace(), metadata.getName()), deployment);
        }
        List<String> wrong = new ArrayList<>();
        for (Foo foo : foos.list(null)) {
            V1Deployment deployment = byName.get(new Key(foo.namespace(), foo.deploymentName()));
            if (deployment == null
                    || !Objects.equals(foo.replicas(), deployment.getSpec().getReplicas())
                    || !Objects.equals(foo.availableReplicas(), available(deployment))) {
                wrong.add(foo.namespace() + "/" + foo.getMetadata().getName());
            }
        }
        return wrong;
    }

    private static Integer available(V1Deployment deployment) {
        return deployment.getStatus() == null || deployment.getStatus().getAvailableReplicas() == null
                ? 0
                : deployment.getStatus().getAvailableReplicas();
    }

    /** Why it writes no more though nobody has stopped it, null if that is not so. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Writes no more. */
    void stop() throws InterruptedException {
        stopped = true;
        LockSupport.unpark(thread);
        thread.join();
    }
}
