package io.controllermanager.maven;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a Role or ClusterRole for all controllers of an application. The manifest is its author's down to the line {@code
 * rules:}; what follows is generated.
 *
 * @param file the manifest
 */
record RoleGenerator(Path file) implements Generator {

    private static final String RULES = "\nrules:\n";
    private static final String EVENTS = """
              # Events of all controllers
              - apiGroups: [events.k8s.io]
                resources: [events]
                verbs: [create, patch]
            """;

    @Override
    public Map<String, String> generate(CompiledModule module) {
        StringBuilder role = new StringBuilder(upToRules(file.toString(), read()));
        DeclaredRights.on(module.loader())
                .forEach((name, text) -> role.append("  # ")
                        .append(name.substring(0, name.lastIndexOf('.')))
                        .append('\n')
                        .append(text.substring(upToRules(name, text).length())));
        return Map.of(file.getFileName().toString(), role.append(EVENTS).toString());
    }

    private String read() {
        try {
            return Files.readString(file).replace("\r\n", "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file + ", in which rules are to stand", e);
        }
    }

    private static String upToRules(String name, String text) {
        int rules = text.indexOf(RULES);
        if (rules < 0) {
            throw new IllegalArgumentException(name + " has no line \"rules:\" below which the rules stand");
        }
        return text.substring(0, rules + RULES.length());
    }

    @Override
    public List<String> breaks(String committed, @Nullable String generated) {
        return List.of();
    }
}
