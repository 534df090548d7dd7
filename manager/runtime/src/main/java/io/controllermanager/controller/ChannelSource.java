package io.controllermanager.controller;

import io.controllermanager.client.FailureMessage;
import io.controllermanager.client.Registration;
import io.controllermanager.event.EventChannel;
import io.controllermanager.event.RequestMapper;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events from outside Kubernetes that bring keys into a controller's queue.
 *
 * @param <E> what an event is
 * @param channel where they come from
 * @param mapper which keys an event concerns; called on the sender's thread
 */
public record ChannelSource<E>(EventChannel<E> channel, RequestMapper<E> mapper) {

    private static final Logger log = LoggerFactory.getLogger(ChannelSource.class);

    /** Hands keys on until closed; an event that cannot be mapped is logged and told to {@code failed}. */
    Registration feed(String controller, Consumer<Request> queue, Runnable failed) {
        AtomicLong failures = new AtomicLong();
        return channel.receive(event -> {
            try {
                mapper.map(event).forEach(queue);
            } catch (RuntimeException | StackOverflowError e) {
                failed.run();
                if (Long.bitCount(failures.incrementAndGet()) != 1) {
                    // The 1st, 2nd, 4th, 8th... are told of.
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
