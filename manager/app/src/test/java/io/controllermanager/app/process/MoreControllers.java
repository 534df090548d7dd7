package io.controllermanager.app.process;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventChannel;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Bean;

/**
 * Controllers that only tests want; each is off unless {@code --controllers} names it. A process is told of them by
 * {@code spring.main.sources}. No class with a main method, of which {@code spring-boot:test-run} wants to find one only.
 */
class MoreControllers {

    /** Cannot be made. */
    @Bean
    ControllerDescriptor broken() {
        return ControllerDescriptor.named("broken")
                .source(new EventChannel<Request>(), Set::of)
                .reconcilerFactory(context -> {
                    throw new IllegalStateException("no licence");
                })
                .enabledByDefault(false)
                .build();
    }

    /** Ends each of its reconciles in another way than the one before, without an end. */
    @Bean
    ControllerDescriptor moody() {
        EventChannel<Request> channel = new EventChannel<>();
        channel.send(new Request("mood"));
        AtomicInteger count = new AtomicInteger();
        return ControllerDescriptor.named("moody")
                .source(channel, Set::of)
                .reconciler(request -> switch (count.getAndIncrement() % 3) {
                    case 0 -> throw new IllegalStateException("in a bad mood");
                    case 1 -> new Result(true);
                    default -> new Result(true, Duration.ofMillis(100));
                })
                .enabledByDefault(false)
                .build();
    }

    /** Fails again and again, with a message that is hard on a log's format; logs keys that others use as well. */
    @Bean
    ControllerDescriptor failing() {
        Logger log = LoggerFactory.getLogger("com.example.failing");
        EventChannel<Request> channel = new EventChannel<>();
        channel.send(new Request("ns", "odd"));
        return ControllerDescriptor.named("failing")
                .source(channel, Set::of)
                .reconciler(request -> {
                    log.atInfo()
                            .addKeyValue("name", "another")
                            .addKeyValue("namespace", "ns")
                            .addKeyValue("message", "of the object")
                            .addKeyValue("error", "not yet")
                            .addKeyValue("controller.kind", "odd")
                            .addKeyValue("reason", "Testing")
                            .setCause(new IllegalArgumentException("inner"))
                            .log("Trying");
                    log.atDebug().log("Only in detail");
                    throw new IllegalStateException("first \"line\"\nsecond line\t\u00fc\u4e16\u0007");
                })
                .enabledByDefault(false)
                .build();
    }

    /** Fails with hundreds of keys, over and over, and says so each time. */
    @Bean
    ControllerDescriptor crowd() {
        Logger log = LoggerFactory.getLogger("com.example.crowd");
        EventChannel<Request> channel = new EventChannel<>();
        for (int i = 0; i < 500; i++) {
            channel.send(new Request("ns", "member-" + i));
        }
        return ControllerDescriptor.named("crowd")
                .source(channel, Set::of)
                .reconciler(request -> {
                    log.info("Trying with {}", request.getName());
                    throw new IllegalStateException("not today");
                })
                .enabledByDefault(false)
                .build();
    }

    /** Writes to standard output until somebody stops reading, and hangs from then on, whatever interrupts it. */
    @Bean
    @SuppressWarnings("SystemOut")
    ControllerDescriptor talker() {
        EventChannel<Request> channel = new EventChannel<>();
        channel.send(new Request("one"));
        channel.send(new Request("another"));
        return ControllerDescriptor.named("talker")
                .source(channel, Set::of)
                .reconciler(request -> {
                    while (true) {
                        System.out.println("and " + request.getName());
                    }
                })
                .enabledByDefault(false)
                .build();
    }

    /** Its reconcile neither ends nor heeds an interrupt. */
    @Bean
    ControllerDescriptor stubborn() {
        EventChannel<Request> channel = new EventChannel<>();
        channel.send(new Request("work"));
        return ControllerDescriptor.named("stubborn")
                .source(channel, Set::of)
                .reconciler(request -> {
                    while (true) {
                        LockSupport.park();
                        boolean ignored = Thread.interrupted();
                    }
                })
                .enabledByDefault(false)
                .build();
    }

    /** Is never destroyed, where a test wants that. */
    @Bean
    @ConditionalOnBooleanProperty("test.obstinate")
    DisposableBean obstinate() {
        return new CountDownLatch(1)::await;
    }

    /** Needs more memory than there is. */
    @Bean
    ControllerDescriptor hoarder() {
        EventChannel<Request> channel = new EventChannel<>();
        channel.send(new Request("everything"));
        List<byte[]> hoard = new ArrayList<>();
        return ControllerDescriptor.named("hoarder")
                .source(channel, Set::of)
                .reconciler(request -> {
                    while (true) {
                        hoard.add(new byte[1 << 20]);
                    }
                })
                .enabledByDefault(false)
                .build();
    }

    /** Prints the thread it is reconciled on, once. */
    @Bean
    @SuppressWarnings("SystemOut")
    ControllerDescriptor threadTeller() {
        EventChannel<Request> channel = new EventChannel<>();
        channel.send(new Request("thread"));
        return ControllerDescriptor.named("thread-teller")
                .source(channel, Set::of)
                .reconciler(request -> {
                    System.out.println("reconciled on " + Thread.currentThread());
                    return new Result(false);
                })
                .enabledByDefault(false)
                .build();
    }
}
