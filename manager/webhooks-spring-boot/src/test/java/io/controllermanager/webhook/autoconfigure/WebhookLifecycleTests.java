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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class WebhookLifecycleTests {

    private final VirtualTime time = new VirtualTime();
    private final ApiConnection connection = ApiConnection.builder(time, time).build();
    private final InformerFactory informers = new InformerFactory(connection, time, time, InformerOptions.DEFAULTS);

    @AfterEach
    void close() {
        informers.close();
        connection.close();
    }

    /** Of a validator, and a converter if that is said; none of them can be served. */
    private WebhookLifecycle lifecycle(boolean converts) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("validator", new OneKeyEach());
        if (converts) {
            beans.addBean("converter", new Repaint());
        }
        return new WebhookLifecycle(
                WebhookBeans.in(beans),
                informers,
                () -> {
                    throw new IllegalStateException("the port is taken");
                },
                time);
    }

    @Test
    void cachesAreNotReadBeforeWebhooksAreServed() {
        WebhookLifecycle lifecycle = lifecycle(false);

        assertThatIllegalStateException().isThrownBy(lifecycle::start).withMessage("the port is taken");
        assertThat(informers.statuses()).isEmpty();
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
        WebhookLifecycle readiness = lifecycle(converts);
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
