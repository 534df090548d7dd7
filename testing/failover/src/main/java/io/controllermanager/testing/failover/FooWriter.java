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
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Creates, scales and deletes Foos all the time, and can say which have not been reconciled. */
final class FooWriter {

    private static final String NAMESPACE = "default";
    private static final int FOOS = 100;
    private static final int MOST_REPLICAS = 9;

    private final ResourceClient<Foo> foos;
    private final ResourceClient<V1Deployment> deployments;
    private final Random random;
    private final String prefix;
    private final long periodNanos;
    private final int percentEdits;
    private final Thread thread = new Thread(this::run, "foo-writer");
    private final List<String> names = new ArrayList<>();
    private int made;
    private volatile boolean stopped;
    private volatile @Nullable Throwable failure;

    /**
     * Writes nothing before {@link #start}.
     *
     * @param prefix how the names of its Foos begin
     * @param perSecond how many writes a second
     * @param percentEdits how many of 100 are edits; the others create and delete in equal parts
     * @param seed for what to write
     */
    FooWriter(ApiClient client, String prefix, int perSecond, int percentEdits, long seed) {
        this.foos = new ResourceClient<>(client, Foo.TYPE);
        this.deployments = new ResourceClient<>(client, ResourceTypes.DEPLOYMENT);
        this.prefix = prefix;
        this.periodNanos = Duration.ofSeconds(1).toNanos() / perSecond;
        this.percentEdits = percentEdits;
        this.random = new Random(seed);
        thread.setDaemon(true);
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
                write();
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
        if (names.size() < FOOS / 2 || (chance >= percentEdits && names.size() < FOOS && chance % 2 == 0)) {
            String name = String.format("%s-%06d", prefix, made++);
            names.add(name);
            foos.create(new Foo(new V1ObjectMeta().name(name).namespace(NAMESPACE), new FooSpec(name, replicas())));
        } else if (chance < percentEdits) {
            String name = names.get(random.nextInt(names.size()));
            foos.patch(NAMESPACE, name, new Patch.Merge("{\"spec\":{\"replicas\":" + replicas() + "}}"));
        } else {
            foos.delete(NAMESPACE, names.remove(random.nextInt(names.size())));
        }
    }

    private int replicas() {
        return 1 + random.nextInt(MOST_REPLICAS);
    }

    /** Whether a Foo that is made now gets its Deployment soon. */
    void awaitReconcile(String name) {
        await("Foo " + name + " is there").until(() -> {
            try {
                return foos.get(NAMESPACE, name) != null
                        || foos.create(new Foo(
                                                new V1ObjectMeta().name(name).namespace(NAMESPACE),
                                                new FooSpec(name, 1)))
                                        .getMetadata()
                                        .getUid()
                                != null;
            } catch (ApiException e) {
                return false;
            }
        });
        await("Foo " + name + " has its Deployment").until(() -> {
            try {
                return deployments.get(NAMESPACE, name) != null;
            } catch (ApiException e) {
                return false;
            }
        });
    }

    /** Foos whose Deployment is not what they want. */
    List<String> wrong() throws ApiException {
        Map<String, V1Deployment> byName = new HashMap<>();
        for (V1Deployment deployment : deployments.list(NAMESPACE)) {
            byName.put(deployment.getMetadata().getName(), deployment);
        }
        List<String> wrong = new ArrayList<>();
        for (Foo foo : foos.list(NAMESPACE)) {
            V1Deployment deployment = byName.get(foo.deploymentName());
            if (deployment == null
                    || !Objects.equals(foo.replicas(), deployment.getSpec().getReplicas())) {
                wrong.add(foo.getMetadata().getName());
            }
        }
        return wrong;
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
