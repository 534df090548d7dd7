package io.controllermanager.testing.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.core.ConditionEvaluationListener;
import org.awaitility.core.EvaluatedCondition;
import org.junit.jupiter.api.Test;

class WaitingTest {

    @Test
    void awaitilityKnowsTheOneLimit() {
        CompletableFuture<Long> limit = new CompletableFuture<>();
        ConditionEvaluationListener<Boolean> listener =
                (EvaluatedCondition<Boolean> condition) -> limit.complete(condition.getRemainingTimeInMS());

        await().conditionEvaluationListener(listener).until(() -> true);

        assertThat(limit.join()).isGreaterThan(Waiting.LIMIT.toMillis() / 2);
    }

    @Test
    void givesWhatIsThere() throws Exception {
        BlockingQueue<String> queue = new ArrayBlockingQueue<>(1);
        queue.add("element");

        assertThat(Waiting.on(queue)).isEqualTo("element");
        assertThat(Waiting.on(CompletableFuture.completedFuture("result"))).isEqualTo("result");
        Waiting.on(new CountDownLatch(0));
    }

    @Test
    void waitsForWhatComesLater() throws Exception {
        CountDownLatch latch = new CountDownLatch(1);
        Thread opener = new Thread(latch::countDown, "opener");
        opener.start();

        Waiting.on(latch);
        Waiting.on(opener);

        assertThat(opener.isAlive()).isFalse();
    }
}
