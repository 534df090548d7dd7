package io.controllermanager.controller.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyMemoriesTest {

    private static final Request KEY = new Request("ns", "a");
    private static final Request OTHER = new Request("ns", "b");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final KeyMemories memories = new KeyMemories();

    @Test
    void allThatIsRememberedOfAKeyIsForgottenAtOnce() {
        Map<Request, String> part = memories.part();
        ReconcileInterval interval = new ReconcileInterval(SECOND, time, memories);
        FailureLog news = new FailureLog("foo", time, memories);
        for (Request key : new Request[] {KEY, OTHER}) {
            part.put(key, "something");
            interval.ended(key);
            news.judge(key, new FailureCause("bug", false, false), true);
        }
        memories.forget(KEY);
        assertThat(part).containsOnlyKeys(OTHER);
        assertThat(interval.remaining(KEY)).isZero();
        assertThat(interval.remaining(OTHER)).isEqualTo(SECOND);
        assertThat(news.failing()).isEqualTo(1);
    }

    @Test
    void theKeysOfAShardAreForgottenTogether() {
        Map<Request, String> part = memories.part();
        part.put(KEY, "something");
        part.put(OTHER, "something");
        memories.forget(key -> key.getName().equals("b"));
        assertThat(part).containsOnlyKeys(KEY);
    }

    @Test
    void aKeyAtRestIsNotRemembered() {
        ReconcileInterval interval = new ReconcileInterval(SECOND, time, memories);
        for (int i = 0; i < 1000; i++) {
            interval.ended(new Request("ns", "key-" + i));
            time.advance(Duration.ofMillis(100));
        }
        assertThat(memories.size()).isEqualTo(10);
        interval.waive(KEY);
        interval.begun(KEY);
        time.advance(SECOND);
        interval.ended(KEY);
        assertThat(memories.size()).isEqualTo(1);
    }

    @Test
    void whoIsUrgentDoesNotWaitOnce() {
        ReconcileInterval interval = new ReconcileInterval(SECOND, time, memories);
        interval.begun(KEY);
        interval.waive(KEY);
        interval.ended(KEY);
        assertThat(interval.remaining(KEY)).isZero();
        interval.begun(KEY);
        interval.ended(KEY);
        assertThat(interval.remaining(KEY)).isEqualTo(SECOND);
    }
}
