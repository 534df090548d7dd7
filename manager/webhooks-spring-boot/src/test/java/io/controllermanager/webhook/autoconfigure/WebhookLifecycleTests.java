package io.controllermanager.webhook.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.webhook.autoconfigure.Doors.OneKeyEach;
import io.controllermanager.webhook.autoconfigure.Doors.Repaint;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class WebhookLifecycleTests {

    @ParameterizedTest
    @CsvSource(textBlock = """
            true,  9,    true,  'not served,has not synced'
            true,  11,   false, not served
            false, 9,    true,  'not served,has not synced'
            false, 3600, true,  'not served,has not synced'
            """)
    void whoeverConvertsDoesNotWaitForCachesForEver(boolean converts, int seconds, boolean waits, String reasons) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("validator", new OneKeyEach());
        if (converts) {
            beans.addBean("converter", new Repaint());
        }
        VirtualTime time = new VirtualTime();
        try (ApiConnection connection = ApiConnection.builder(time, time).build();
                InformerFactory informers = new InformerFactory(connection, time, time, InformerOptions.DEFAULTS)) {
            WebhookLifecycle readiness = new WebhookLifecycle(
                    WebhookBeans.in(beans),
                    informers,
                    () -> {
                        throw new AssertionError();
                    },
                    time);
            time.advance(Duration.ofSeconds(seconds));

            assertThat(readiness.waitsForCaches()).isEqualTo(waits);
            assertThat(readiness.get())
                    .zipSatisfy(
                            Arrays.asList(reasons.split(",")),
                            (reason, end) -> assertThat(reason).endsWith(end));
        }
    }
}
