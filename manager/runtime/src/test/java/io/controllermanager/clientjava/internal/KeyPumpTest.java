package io.controllermanager.clientjava.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.client.Registration;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.extended.workqueue.DefaultRateLimitingQueue;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The keys of a client-java controller on their way into the host's queue. */
class KeyPumpTest {

    @Test
    void seenKeysAreBoundedByTheObjectsThereAre() {
        SeenKeys seen = new SeenKeys();
        for (int i = 0; i < 100; i++) {
            seen.add(new Request("ns", "there-" + i), key -> key.getName().startsWith("there"));
        }
        for (int i = 0; i < 100_000; i++) {
            seen.add(new Request("ns", "gone-" + i), key -> key.getName().startsWith("there"));
        }

        assertThat(seen.all())
                .hasSizeBetween(100 + SeenKeys.MOST_WITHOUT_OBJECT, 100 + 3 * SeenKeys.MOST_WITHOUT_OBJECT)
                .contains(new Request("ns", "there-0"), new Request("ns", "there-99"), new Request("ns", "gone-99999"))
                .doesNotContain(new Request("ns", "gone-0"));
    }

    @Test
    @SuppressWarnings("unchecked") // no ready functions
    void anErrorCostsNeitherThePumpNorTheKey() {
        ExecutorService delays = Executors.newCachedThreadPool();
        DefaultController own =
                new DefaultController("own", request -> new Result(false), new DefaultRateLimitingQueue<>(delays));
        List<String> moved = new CopyOnWriteArrayList<>();
        boolean[] failed = {false};
        Registration pump = ClientJavaController.of(own, "own").feed(request -> true, (request, priority) -> {
            if (!failed[0]) {
                failed[0] = true;
                throw new OutOfMemoryError("made up");
            }
            moved.add(request.getName());
        });
        try {
            own.getWorkQueue().add(new Request("ns", "first"));
            own.getWorkQueue().add(new Request("ns", "second"));
            await().untilAsserted(() -> assertThat(moved).containsExactly("second", "first"));
        } finally {
            pump.close();
            delays.shutdownNow();
        }
    }
}
