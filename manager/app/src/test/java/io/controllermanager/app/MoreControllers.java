package io.controllermanager.app;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventChannel;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.util.Set;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** The controller manager with controllers that only tests want; each is off unless {@code --controllers} names it. */
final class MoreControllers {

    private MoreControllers() {}

    /** Takes the flags of the controller manager itself. */
    public static void main(String... arguments) {
        SpringApplication.from(ControllerManagerApplication::main)
                .with(Descriptors.class)
                .run(arguments);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Descriptors {

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
}
