package io.controllermanager.controller.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.FailureCount;
import io.controllermanager.client.internal.FailureMessage;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.micrometer.core.instrument.Counter;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the events of a channel into a controller's queue. */
final class ChannelFeed {

    private static final Logger log = LoggerFactory.getLogger(ChannelFeed.class);

    private ChannelFeed() {}

    /** Hands keys on until closed; an event that cannot be mapped is logged and counted. */
    static <E> Registration open(ChannelSource<E> source, String controller, Consumer<Request> queue, Counter errors) {
        FailureCount failures = new FailureCount();
        return source.channel().receive(event -> {
            try {
                source.mapper().map(event).forEach(queue);
            } catch (Throwable e) {
                errors.increment();
                if (failures.next() > 0) {
                    log.atError()
                            .addKeyValue("controller", controller)
                            .setCause(e)
                            .log(
                                    "Controller {}: an event from outside Kubernetes could not be turned into keys: {}",
                                    controller,
                                    FailureMessage.of(e));
                }
            }
        });
    }
}
