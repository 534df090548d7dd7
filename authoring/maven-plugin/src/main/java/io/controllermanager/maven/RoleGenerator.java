package io.controllermanager.maven;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The rules of a Role or ClusterRole for all controllers of an application. The manifest is its author's down to the line {@code
 * rules:}; what follows is generated.
 *
 * @param file the manifest
 */
record RoleGenerator(Path file) implements Generator {

    private static final Pattern RULES = Pattern.compile("(?m)^rules:[ \t]*$");
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
        int rules = endOfRulesLine(file.toString(), manifest);
        StringBuilder role = new StringBuilder(manifest.substring(0, rules));
        DeclaredRights.on(module.runtime()).forEach((name, rights) -> {
            String text = lines(rights.text());
            role.append("  # ")
                    .append(name.substring(0, name.lastIndexOf('.')))
                    .append('\n')
                    .append(text.substring(endOfRulesLine(name + " of " + rights.source(), text)));
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

    private static int endOfRulesLine(String name, String text) {
        Matcher rules = RULES.matcher(text);
        if (!rules.find()) {
            throw new IllegalArgumentException(name + " has no line \"rules:\" below which the rules stand");
        }
        if (NEXT_DOCUMENT.matcher(text).find(rules.end())) {
            throw new IllegalArgumentException(
                    name + " has a line \"---\" after \"rules:\": what follows it would be lost");
        }
        return rules.end() + 1;
    }
}
