package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A process and the signals that it gets; it ends with this one at the latest. What it says goes to a file. */
final class Program implements AutoCloseable {

    private final Process process;
    private final Path log;
    private final Thread atExit;
    private final CompletableFuture<Instant> end;

    private Program(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.atExit = new Thread(process::destroyForcibly, "program-end");
        Runtime.getRuntime().addShutdownHook(atExit);
        this.end = process.onExit().thenApply(ended -> Instant.now());
    }

    /** Starts it without what this process' environment says of controller managers and clusters. */
    static Program start(List<String> command, Map<String, String> environment, Path log) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment()
                .keySet()
                .removeIf(name -> name.startsWith("CONTROLLER_MANAGER") || name.equals("KUBECONFIG"));
        builder.environment().putAll(environment);
        return new Program(builder.start(), log);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The processor time that it has used. */
    Duration cpu() {
        return process.toHandle()
                .info()
                .totalCpuDuration()
                .orElseThrow(() -> new IllegalStateException("it has ended: " + log));
    }

    /** When it was found to have ended, null while it runs. */
    @Nullable
    Instant end() {
        return end.getNow(null);
    }

    /** Sends SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** Sends SIGKILL, and returns when it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Waits for its end. */
    int exitCode() throws InterruptedException {
        return Waiting.on(process);
    }

    /** Sends SIGSTOP, and returns when the process stands still. */
    void suspend() throws IOException, InterruptedException {
        signal("STOP");
        Path state = Path.of("/proc", Long.toString(process.pid()), "stat");
        if (Files.exists(state)) {
            await("the process stands still").until(() -> {
                String line = Files.readString(state);
                // "pid (name) state …", where the name may hold anything.
                return line.startsWith(" T", line.lastIndexOf(')') + 1);
            });
        }
    }

    /** Sends SIGCONT. */
    void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -" + name + " ended with " + code);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            // This process is ending, and the hook has run or will.
        }
    }
}
