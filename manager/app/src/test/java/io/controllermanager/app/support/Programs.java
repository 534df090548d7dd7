package io.controllermanager.app.support;

import io.controllermanager.testing.controlplane.ControlPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Runs helm, kubectl and the like to their end, apart from what the person who tests has set for them. */
public final class Programs {

    private Programs() {}

    /** What {@code program} says to these arguments. */
    public static Answer run(Path program, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("HELM_") || name.equals("KUBECONFIG"));
        // No shell is to say first that it does not know the locale.
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        process.getOutputStream().close();
        CompletableFuture<String> err = CompletableFuture.supplyAsync(() -> {
            try {
                return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                return e.toString();
            }
        });
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), out, err.join());
    }

    /** What a program of a control plane's, helm or kubectl, says to these arguments; an administrator asks. */
    public static Answer runOn(ControlPlane plane, String program, String... arguments)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--kubeconfig=" + plane.kubeconfigFile());
        return run(plane.binaries().program(program), all);
    }

    /**
     * How a program ended.
     *
     * @param exitCode 0 if it liked what it saw
     * @param out what it printed
     * @param err what it complained about
     */
    public record Answer(int exitCode, String out, String err) {

        /** What it printed. It has to have liked what it saw. */
        public String expectOut() {
            if (exitCode != 0) {
                throw new AssertionError(out + err);
            }
            return out;
        }
    }
}
