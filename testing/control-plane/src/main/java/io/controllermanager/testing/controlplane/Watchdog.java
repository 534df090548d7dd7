package io.controllermanager.testing.controlplane;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Ends a control plane's processes and removes its directory, however the JVM ends.
 *
 * <p>It is a shell outside the JVM that reads from a pipe. Nothing is ever written to it: the pipe's end is the sign,
 * and the kernel gives that when the JVM closes the pipe and when the JVM is killed. It has a session of its own, so a
 * Ctrl-C does not reach it.
 */
final class Watchdog implements AutoCloseable {

    /**
     * {@code $1} is the plane's directory. A process makes its file in {@code pids} before it becomes the program it
     * is to run, see {@link ChildProcess}: once {@code rmdir} has succeeded on the emptied directory none can start
     * any more, so none is missed. A killed process may write for a moment longer, hence the second loop. Both give up
     * on a file system that lets nothing be removed.
     */
    private static final String SCRIPT = """
            trap '' HUP INT QUIT TERM
            cat >/dev/null
            tries=100
            while [ -d "$1/pids" ] && [ $((tries -= 1)) -gt 0 ]; do
              for file in "$1"/pids/*; do
                [ -e "$file" ] || continue
                kill -KILL "${file##*/}"
                rm -f "$file"
              done
              rmdir "$1/pids"
            done
            for pause in 0 0 0 1 1 1 5 5; do
              sleep $pause
              rm -rf "$1" && break
            done
            """;

    private final Process process;
    private final PlaneDirectory directory;

    private Watchdog(Process process, PlaneDirectory directory) {
        this.process = process;
        this.directory = directory;
    }

    static Watchdog over(PlaneDirectory directory) {
        List<String> command = new ArrayList<>(Session.prefix());
        command.addAll(List.of("/bin/sh", "-c", SCRIPT, "control-plane-watchdog"));
        command.add(directory.root().toString());
        try {
            // Its working directory must not be one that somebody wants to remove or unmount.
            Process process = new ProcessBuilder(command)
                    .directory(directory.root().getRoot().toFile())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return new Watchdog(process, directory);
        } catch (IOException e) {
            throw new ControlPlaneException("The control plane's watchdog could not be started.", e);
        }
    }

    /** Returns when no process is left and the directory is gone. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(Deadline.LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new ControlPlaneException(
                        "The control plane in " + directory.root() + " was not gone after " + Deadline.LIMIT + ".");
            }
        } catch (IOException e) {
            throw new ControlPlaneException("The control plane's watchdog could not be told to end.", e);
        } catch (InterruptedException e) {
            // The watchdog needs nobody to wait for it.
            Thread.currentThread().interrupt();
        }
    }
}
