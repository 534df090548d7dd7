package io.controllermanager.controller.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.controller.ControllerDescriptor.ChannelSource;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the events of a channel into a controller's queue. */
final class ChannelFeed {

    private static final Logger log = LoggerFactory.getLogger(ChannelFeed.class);

    private ChannelFeed() {}

    /** Hands keys on until closed; an event that cannot be mapped is logged and told to {@code failed}. */
    static <E> Registration open(ChannelSource<E> source, String controller, Consumer<Request> queue, Runnable failed) {
        AtomicLong failures = new AtomicLong();
        return source.channel().receive(event -> {
            try {
                source.mapper().map(event).forEach(queue);
            } catch (Throwable e) {
                failed.run();
                if (Long.bitCount(failures.incrementAndGet()) != 1) {
                    // The 1st, 2nd, 4th, 8th... failure is logged.
                    return;
                }
                log.atError()
                        .addKeyValue("controller", controller)
                        .setCause(e)
                        .log(
                                "Controller {}: an event from outside Kubernetes could not be turned into keys: {}",
                                controller,
                                FailureMessage.of(e));
            }
        });
    }
}
