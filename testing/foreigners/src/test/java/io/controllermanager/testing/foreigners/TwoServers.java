package io.controllermanager.testing.foreigners;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.Controllers;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A fresh server of each kind, by HTTPS, with authorization. Neither has controllers beyond those that collect garbage and
 * empty namespaces; the real one's give namespaces their service accounts too.
 */
public record TwoServers(TestedServer real, TestedServer embedded) implements AutoCloseable {

    /** Starts both. */
    public static TwoServers start() {
        return new TwoServers(
                TestedServer.of(ControlPlane.builder()
                        .controllers(Controllers.HOUSEKEEPER)
                        .start()),
                TestedServer.of(
                        ApiServer.builder().tls(true).authorization(true).start()));
    }

    /** Does the same on both at the same time. */
    public <T> Both<T> each(Task<T> task) throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(2, runnable -> new Thread(runnable, "client"));
        try {
            Future<T> onReal = threads.submit(() -> task.run(real));
            Future<T> onEmbedded = threads.submit(() -> task.run(embedded));
            return new Both<>(onReal.get(), onEmbedded.get());
        } finally {
            threads.shutdownNow();
        }
    }

    @Override
    public void close() {
        real.close();
        embedded.close();
    }

    /** Something to be done on a server. */
    @FunctionalInterface
    public interface Task<T> {
        T run(TestedServer server) throws Exception;
    }

    /** What came of it. */
    public record Both<T>(T real, T embedded) {}
}
