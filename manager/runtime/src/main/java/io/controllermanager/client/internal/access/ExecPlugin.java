package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.ApiAccessException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The command that a kubeconfig's user names in {@code exec}, run as client-go's {@code plugin/pkg/client/auth/exec} does,
 * but for three things: it never has a standard input, since nobody sits there; it has a time limit; what it writes to
 * standard error is not passed on, but its last line is part of the message where it fails.
 *
 * @param environment variables besides this process's own
 * @param hint how to install it, empty if the kubeconfig does not say
 */
record ExecPlugin(
        String name, List<String> command, Map<String, String> environment, String version, String hint, Duration limit)
        implements PluginCredentials.Source {

    /** A plugin asks a server or two, which takes seconds; ten or twenty on a node that is short of processor time. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    static final String GROUP = "client.authentication.k8s.io/";
    private static final List<String> INFO =
            List.of("tls-server-name", "insecure-skip-tls-verify", "proxy-url", "disable-compression");
    private static final List<String> MODES = List.of("Never", "IfAvailable", "Always");
    private static final List<String> VERSIONS = List.of(GROUP + "v1", GROUP + "v1beta1");

    /** The operating system's words, as different JDKs pass them on. */
    private static final Pattern SYSTEM_ERROR = Pattern.compile("error[=:] ?\\d+,? \\(?([^()]+)");

    /**
     * What the field {@code exec} of a kubeconfig's user says. The values of {@code args} and {@code env} may be secret: no
     * message has them.
     *
     * @param server the cluster's URL
     * @throws ApiAccessException if a field is missing or wrong, or the cluster's certificate authority cannot be read
     */
    static ExecPlugin of(KubeconfigEntry user, KubeconfigEntry cluster, String server) {
        user.refuse(
                user.values().get("auth-provider") != null, "exec and auth-provider are both given, one is allowed");
        KubeconfigEntry exec = fields(user.name() + ": exec", user.values().get("exec"));
        String version = oneOf(exec, "apiVersion", VERSIONS, "");
        String command = exec.string("command");
        if (command == null) {
            throw exec.wrong("command is missing");
        }
        String mode = oneOf(exec, "interactiveMode", MODES, version.endsWith("v1beta1") ? "IfAvailable" : "");
        exec.refuse(mode.equals("Always"), "interactiveMode Always needs somebody at a terminal, and nobody is there");
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(exec.strings("args"));
        Map<String, String> environment = new LinkedHashMap<>();
        Object variables = Objects.requireNonNullElse(exec.values().get("env"), List.of());
        exec.refuse(!(variables instanceof List), "env must be a list");
        for (Object each : (List<?>) variables) {
            KubeconfigEntry variable = fields(exec.name() + ": a variable of env", each);
            String name = variable.string("name");
            if (name == null) {
                throw variable.wrong("name is missing");
            }
            environment.put(name, Objects.requireNonNullElse(variable.string("value"), ""));
        }
        Map<String, Object> spec = new LinkedHashMap<>();
        if (exec.flag("provideClusterInfo")) {
            spec.put("cluster", info(cluster, server));
        }
        spec.put("interactive", false);
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("kind", "ExecCredential");
        info.put("apiVersion", version);
        info.put("spec", spec);
        environment.put("KUBERNETES_EXEC_INFO", ApiJson.tree(info).toString());
        return new ExecPlugin(
                user.name() + ": credential plugin " + command,
                List.copyOf(all),
                environment,
                version,
                FailureMessage.oneLine(Objects.requireNonNullElse(exec.string("installHint"), "")),
                LIMIT);
    }

    /** The fields of a map that is a value. */
    static KubeconfigEntry fields(String name, @Nullable Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new ApiAccessException(name + " must be a map");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        map.forEach((key, each) -> fields.put(String.valueOf(key), each));
        return new KubeconfigEntry(name, fields);
    }

    /** One of these; another if there is none, unless that is empty. */
    private static String oneOf(KubeconfigEntry exec, String field, List<String> choices, String otherwise) {
        String given = exec.string(field);
        String text = given == null ? otherwise : given;
        exec.refuse(
                !choices.contains(text),
                field + (given == null ? " is missing; it" : " \"" + given + "\"") + " must be "
                        + String.join(" or ", choices));
        return text;
    }

    /** As client-go's {@code rest/exec.go}. */
    private static Map<String, Object> info(KubeconfigEntry cluster, String server) {
        Map<String, Object> info = new LinkedHashMap<>(cluster.values());
        info.keySet().retainAll(INFO);
        info.put("server", server);
        byte[] authority = cluster.data("certificate-authority");
        if (authority != null) {
            info.put("certificate-authority-data", Base64.getEncoder().encodeToString(authority));
        }
        if (cluster.values().get("extensions") instanceof List<?> extensions) {
            for (Object each : extensions) {
                if (each instanceof Map<?, ?> named && (GROUP + "exec").equals(named.get("name"))) {
                    info.put("config", named.get("extension"));
                }
            }
        }
        return info;
    }

    @Override
    public ExecCredential ask() throws CredentialException, InterruptedException {
        Process process = start();
        try {
            ProcessOutput errors = new ProcessOutput(process.getErrorStream(), "credential-plugin-stderr");
            ProcessOutput answer = new ProcessOutput(process.getInputStream(), "credential-plugin-stdout");
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                end(process);
                String seconds = limit.toMillis() / 1000.0 + " s";
                throw failed("has been ended, since it was not done after " + seconds, errors.lastLine(), "");
            }
            if (process.exitValue() != 0) {
                throw failed("ended with exit code " + process.exitValue(), errors.lastLine(), hint);
            }
            try {
                return ExecCredential.read(answer.text(), version);
            } catch (IllegalArgumentException e) {
                throw failed(String.valueOf(e.getMessage()), errors.lastLine(), "");
            }
        } finally {
            end(process);
        }
    }

    private Process start() throws CredentialException {
        ProcessBuilder builder = new ProcessBuilder(command);
        try {
            builder.environment().putAll(environment);
            Process process = builder.start();
            process.getOutputStream().close();
            return process;
        } catch (IllegalArgumentException e) {
            // Whose message has the value.
            throw failed("cannot be run", "no variable can be as one of exec.env is", "");
        } catch (IOException e) {
            Matcher system = SYSTEM_ERROR.matcher(String.valueOf(e.getMessage()));
            String reason = system.find() ? system.group(1).strip() : FailureMessage.words(e);
            throw failed("cannot be run", reason, hint);
        }
    }

    /** What it has started goes too. That is listed first, since it is nobody's once its parent has ended. */
    private static void end(Process process) {
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
    }

    private CredentialException failed(String what, String detail, String advice) {
        return new CredentialException(name + " " + what
                + (detail.isEmpty() ? "" : ": " + detail)
                + (advice.isEmpty() ? "" : " (" + advice + ")"));
    }
}
