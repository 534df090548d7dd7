package io.controllermanager.benchmarks.scrape;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.EventChannel;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.time.Duration;
import java.util.Set;
import org.springframework.beans.factory.BeanRegistrar;
import org.springframework.beans.factory.BeanRegistry;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Controllers, as many as the property {@code scrape.controllers} says, that each reconcile once in {@code scrape.pause}, a
 * tenth of a second unless it says otherwise.
 */
@Configuration(proxyBeanMethods = false)
@Import(ManyControllers.Registrar.class)
public class ManyControllers {

    static final String PROPERTY = "scrape.controllers";

    static final class Registrar implements BeanRegistrar {

        @Override
        public void register(BeanRegistry registry, Environment environment) {
            int count = environment.getRequiredProperty(PROPERTY, Integer.class);
            Duration pause = environment.getProperty("scrape.pause", Duration.class, Duration.ofMillis(100));
            for (int i = 1; i <= count; i++) {
                String name = "many-" + i;
                registry.registerBean(
                        name, ControllerDescriptor.class, spec -> spec.supplier(beans -> controller(name, pause)));
            }
        }

        private static ControllerDescriptor controller(String name, Duration pause) {
            EventChannel<Request> channel = new EventChannel<>();
            channel.send(new Request("again"));
            return ControllerDescriptor.named(name)
                    .source(channel, Set::of)
                    .reconciler(request -> new Result(true, pause))
                    .build();
        }
    }
}
