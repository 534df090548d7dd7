package io.controllermanager.maven;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules of a Role or ClusterRole for all controllers of an application. The manifest is its author's down to the line {@code
 * rules:}; what follows is generated. A ClusterRole has what holds in the whole cluster too.
 *
 * @param file the manifest
 */
record RoleGenerator(Path file) implements Generator {

    private static final Pattern RULES = Pattern.compile("(?m)^rules:[ \t]*(\\[])?[ \t]*\n");
    private static final Pattern CLUSTER_RULES = Pattern.compile("(?m)^clusterRules:[ \t]*\n((?: .*\n)*)");
    private static final Pattern CLUSTER_ROLE = Pattern.compile("(?m)^kind: ClusterRole$");
    private static final Pattern NEXT_DOCUMENT = Pattern.compile("(?m)^---");
    private static final String EVENTS = """
              # Events of all controllers
              - apiGroups: [events.k8s.io]
                resources: [events]
                verbs: [create, patch]
            """;

    @Override
    public Map<String, String> generate(CompiledModule module) {
        String manifest = lines(read());
        boolean cluster = CLUSTER_ROLE.matcher(manifest).find();
        StringBuilder role = new StringBuilder(
                        manifest.substring(0, rules(file.toString(), manifest).start()))
                .append("rules:\n");
        DeclaredRights.on(module.runtime()).forEach((name, rights) -> {
            String text = lines(rights.text());
            role.append("  # ").append(name.substring(0, name.lastIndexOf('.'))).append('\n');
            Matcher clusterRules = CLUSTER_RULES.matcher(text);
            if (cluster && clusterRules.find()) {
                role.append(clusterRules.group(1));
            }
            role.append(
                    text.substring(rules(name + " of " + rights.source(), text).end()));
        });
        return Map.of(file.getFileName().toString(), role.append(EVENTS).toString());
    }

    private String read() {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file + ", in which rules are to stand", e);
        }
    }

    /** The text with line feeds as line ends, the last line's too. */
    private static String lines(String text) {
        String lines = text.replace("\r\n", "\n");
        return lines.endsWith("\n") ? lines : lines + "\n";
    }

    /** The line that has been found. */
    private static MatchResult rules(String name, String text) {
        Matcher rules = RULES.matcher(text);
        if (!rules.find()) {
            throw new IllegalArgumentException(name + " has no line \"rules:\" below which the rules stand");
        }
        if (NEXT_DOCUMENT.matcher(text).find(rules.end())) {
            throw new IllegalArgumentException(
                    name + " has a line \"---\" after \"rules:\": what follows it would be lost");
        }
        return rules;
    }
}
