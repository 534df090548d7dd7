package io.controllermanager.webhook.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.webhook.autoconfigure.Doors.OneKeyEach;
import io.controllermanager.webhook.autoconfigure.Doors.Repaint;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class WebhookLifecycleTests {

    @Test
    void cachesAreNotReadBeforeWebhooksAreServed() {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("validator", new OneKeyEach());
        VirtualTime time = new VirtualTime();
        try (ApiConnection connection = ApiConnection.builder(time, time).build();
                InformerFactory informers = new InformerFactory(connection, time, time, InformerOptions.DEFAULTS)) {
            WebhookLifecycle lifecycle = new WebhookLifecycle(
                    WebhookBeans.in(beans),
                    informers,
                    () -> {
                        throw new IllegalStateException("the port is taken");
                    },
                    time);

            assertThatIllegalStateException().isThrownBy(lifecycle::start).withMessage("the port is taken");
            assertThat(informers.statuses()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            true,  true,  9,    true,  'not served,has not synced'
            true,  true,  11,   false, not served
            true,  false, 3600, true,  'not served,has not synced'
            false, true,  9,    true,  'not served,has not synced'
            false, true,  3600, true,  'not served,has not synced'
            """)
    void whoeverConvertsDoesNotWaitForCachesForEver(
            boolean converts, boolean registered, int seconds, boolean waits, String reasons) {
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
            if (registered) {
                readiness.registered();
            }
            time.advance(Duration.ofSeconds(seconds));

            assertThat(readiness.waitsForCaches()).isEqualTo(waits);
            assertThat(readiness.get())
                    .zipSatisfy(
                            Arrays.asList(reasons.split(",")),
                            (reason, end) -> assertThat(reason).endsWith(end));
        }
    }
}
