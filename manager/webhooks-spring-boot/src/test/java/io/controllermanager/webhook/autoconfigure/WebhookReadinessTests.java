package io.controllermanager.webhook.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebhookReadinessTests {

    @ParameterizedTest
    @CsvSource(textBlock = """
            true,  9,    true,  'not served,not filled'
            true,  11,   false, not served
            false, 9,    true,  'not served,not filled'
            false, 3600, true,  'not served,not filled'
            """)
    void whoeverConvertsDoesNotWaitForCachesForEver(boolean converts, int seconds, boolean waits, String reasons) {
        VirtualTime time = new VirtualTime();
        WebhookReadiness readiness =
                new WebhookReadiness(() -> List.of("not served"), () -> List.of("not filled"), converts, time);
        time.advance(Duration.ofSeconds(seconds));

        assertThat(readiness.waitsForCaches()).isEqualTo(waits);
        assertThat(readiness.get()).containsExactly(reasons.split(","));
    }
}
