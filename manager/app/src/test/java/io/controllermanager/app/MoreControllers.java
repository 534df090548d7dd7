package io.controllermanager.app;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventChannel;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.util.Set;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * Controllers that only tests want; each is off unless {@code --controllers} names it. Not found by scanning: a process is
 * told of them by {@code spring.main.sources}. No class with a main method, of which {@code spring-boot:test-run} wants to
 * find one only.
 */
@TestConfiguration(proxyBeanMethods = false)
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
