package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Dependabot does not search for Go modules; {@code .github/dependabot.yml} names their folders. */
class DependabotTest {

    private static final Path REPOSITORY = Path.of("..", "..");
    /** What the build makes, a copy of a module among it, and what is not of this repository. */
    private static final Set<String> PASSED_OVER = Set.of("target", ".git", ".cache");
    /** It stands in for a module that nothing needs, and requires nothing. */
    private static final String PLACEHOLDER = "/testing/control-plane/binaries/nothing/sample-cli-plugin";

    @Test
    void knowsEveryGoModule() throws IOException {
        assertThat(namedFolders()).containsExactlyInAnyOrderElementsOf(foldersOfModules());
    }

    private static List<String> namedFolders() throws IOException {
        String file = Files.readString(REPOSITORY.resolve(".github").resolve("dependabot.yml"));
        Map<String, List<Map<String, Object>>> configuration = new Yaml().load(file);
        return configuration.getOrDefault("updates", List.of()).stream()
                .filter(update -> "gomod".equals(update.get("package-ecosystem")))
                .flatMap(update -> ((List<?>) update.getOrDefault("directories", List.of())).stream())
                .map(String::valueOf)
                .toList();
    }

    private static List<String> foldersOfModules() throws IOException {
        List<String> folders = new ArrayList<>();
        Files.walkFileTree(REPOSITORY, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                if (PASSED_OVER.contains(directory.getFileName().toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                String folder = "/" + REPOSITORY.relativize(directory);
                if (Files.exists(directory.resolve("go.mod")) && !folder.equals(PLACEHOLDER)) {
                    folders.add(folder);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return folders;
    }
}
