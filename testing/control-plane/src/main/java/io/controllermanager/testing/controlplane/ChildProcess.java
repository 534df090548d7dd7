package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** One program of a control plane, running under the eyes of its {@link Watchdog}. */
final class ChildProcess {

    /**
     * {@code $1} is the directory of process ids, the rest the program to become. When the directory is gone the
     * watchdog has done its work, and nothing may start any more.
     */
    private static final String LAUNCH = ": >\"$1/$$\" || exit 125; shift; exec \"$@\"";

    private static final String PORT_TAKEN = "address already in use";
    private static final int TAIL_LINES = 30;

    private final String name;
    private final Process process;
    private final Path log;
    private final long logStart;

    private ChildProcess(String name, Process process, Path log, long logStart) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.logStart = logStart;
    }

    /** Starts a program under its own name. */
    static ChildProcess start(PlaneDirectory directory, Path program, Flags flags) {
        return start(program.getFileName().toString(), directory, program, flags);
    }

    /** Starts a program of which there may be several; the name is its log's. */
    static ChildProcess start(String name, PlaneDirectory directory, Path program, Flags flags) {
        Path log = directory.log(name);
        List<String> command = new ArrayList<>(Session.prefix());
        command.addAll(List.of("/bin/sh", "-c", LAUNCH, name));
        command.add(directory.processIds().toString());
        command.add(program.toString());
        command.addAll(flags.arguments());
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.root().toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log.toFile()));
        // The caller's environment must not reach in: ETCD_NAME and its like are as good as flags.
        Map<String, String> environment = builder.environment();
        environment.keySet().retainAll(List.of("PATH", "TZ", "LANG"));
        environment.put("HOME", directory.root().toString());
        // A plane is short-lived: memory is cheaper than collections.
        environment.put("GOGC", "400");
        try {
            long logStart = Files.exists(log) ? Files.size(log) : 0;
            Process process = builder.start();
            Path idFile = directory.processIds().resolve(Long.toString(process.pid()));
            // The kernel gives the id to another process some day.
            var unused = process.onExit().thenRun(() -> delete(idFile));
            return new ChildProcess(name, process, log, logStart);
        } catch (IOException e) {
            throw new ControlPlaneException(name + " could not be started.", e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long id() {
        return process.pid();
    }

    /** Ends it without a warning, as a crash would, and returns when it is gone. */
    void kill() {
        process.destroyForcibly();
        exitsWithin(Deadline.LIMIT);
    }

    /** Asks it to end, and kills it when it has not done so in time. */
    void stop(Duration grace) {
        resume(); // a stopped process would not see the signal
        process.destroy();
        if (!exitsWithin(grace)) {
            kill();
        }
    }

    /** Freezes it: its sockets stay open, and nobody answers. */
    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    /** Waits that long for its end, and says whether it came. */
    boolean exitsWithin(Duration time) {
        try {
            return process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ControlPlaneException("Interrupted while waiting for " + name + ".", e);
        }
    }

    /** Whether it ended because somebody else listens on its port. */
    boolean foundPortTaken() {
        return !process.isAlive() && logText().contains(PORT_TAKEN);
    }

    /** An exception with this message, the state of the process and the end of its log. */
    ControlPlaneException failure(String message) {
        String state = process.isAlive() ? "it is running" : "it ended with exit code " + process.exitValue();
        List<String> lines = logText().lines().toList();
        List<String> tail = lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
        return new ControlPlaneException("%s %s; %s. The last lines of %s:%n%s"
                .formatted(name, message, state, log, String.join(System.lineSeparator(), tail)));
    }

    /** What this process has written, without what earlier ones wrote to the same file. */
    private String logText() {
        try {
            byte[] bytes = Files.readAllBytes(log);
            int start = (int) Math.min(logStart, bytes.length);
            return new String(bytes, start, bytes.length - start, StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "(the log could not be read: " + e + ")";
        }
    }

    /** By the shell's own kill, which every system has. */
    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
            kill.waitFor();
        } catch (IOException e) {
            throw new ControlPlaneException("SIG" + signal + " could not be sent to " + name + ".", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ControlPlaneException("Interrupted while sending SIG" + signal + " to " + name + ".", e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException gone) {
            // The watchdog removes it with all the rest.
        }
    }
}
