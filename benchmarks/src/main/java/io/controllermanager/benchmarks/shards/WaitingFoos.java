package io.controllermanager.benchmarks.shards;

import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.foo.Foo;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The controller that is measured, brought into the executable by {@code spring.main.sources}: it waits 20 ms for each Foo, as
 * for somebody else's answer, and does so again and again. It records when each reconcile began and ended by {@link
 * System#nanoTime()}, which on Linux counts alike in all processes, and the namespace.
 */
@Configuration(proxyBeanMethods = false)
public class WaitingFoos {

    static final String NAME = "waiting";

    /** The file of the {@link Pace}. */
    static final String PACE = "shards-benchmark.pace";

    /** The file to which reconciles are recorded. */
    static final String RECORD = "shards-benchmark.record";

    private static final long WAIT_MILLIS = 20;

    @Bean
    ControllerDescriptor waitingController(
            @Value("${" + PACE + "}") Path pace, @Value("${" + RECORD + "}") String record) throws IOException {
        Pace shared = Pace.in(pace);
        FileOutputStream file = new FileOutputStream(record, true);
        return ControllerDescriptor.named(NAME)
                .forType(Foo.TYPE)
                .reconcilerFactory(context -> new Waiting(shared, file, context.apiClient()))
                .build();
    }

    private record Waiting(Pace pace, FileOutputStream file, ApiClient client) implements Reconciler {

        @Override
        public Result reconcile(Request request) {
            long begin = System.nanoTime();
            try {
                TimeUnit.MILLISECONDS.sleep(WAIT_MILLIS);
                if (pace.writes()) {
                    int replicas = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
                    new ResourceClient<>(client, Foo.TYPE)
                            .patchStatus(
                                    request.getNamespace(),
                                    request.getName(),
                                    new Patch.Merge("{\"status\":{\"availableReplicas\":" + replicas + "}}"));
                }
                String line = begin + " " + System.nanoTime() + " " + request.getNamespace() + "\n";
                // At once, so that it is there whatever ends the process.
                file.write(line.getBytes(StandardCharsets.US_ASCII));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (ApiException e) {
                throw new IllegalStateException(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return new Result(true, pace.again());
        }
    }
}
