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
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Dependabot does not search for modules; {@code .github/dependabot.yml} names their folders. */
class DependabotTest {

    private static final Path REPOSITORY = Path.of("..", "..");
    /** What the build makes, a copy of a module among it, what is not of this repository, and the archetype's templates. */
    private static final Set<String> PASSED_OVER = Set.of("target", ".git", ".cache", "archetype-resources");
    /** It stands in for a module that nothing needs, and requires nothing. */
    private static final String PLACEHOLDER = "/testing/control-plane/binaries/nothing/sample-cli-plugin";

    private static final Pattern MODULE = Pattern.compile("<module>(.+)</module>");

    @Test
    void knowsEveryGoModule() throws IOException {
        List<String> modules = foldersWith("go.mod");
        modules.remove(PLACEHOLDER);

        assertThat(namedFolders("gomod")).containsExactlyInAnyOrderElementsOf(modules);
    }

    /** It finds those that the parent POM names by itself. */
    @Test
    void knowsEveryMavenProject() throws IOException {
        List<String> projects = foldersWith("pom.xml");
        MODULE.matcher(Files.readString(REPOSITORY.resolve("pom.xml")))
                .results()
                .forEach(module -> projects.remove("/" + module.group(1)));

        assertThat(namedFolders("maven")).containsExactlyInAnyOrderElementsOf(projects);
    }

    private static List<String> namedFolders(String ecosystem) throws IOException {
        String file = Files.readString(REPOSITORY.resolve(".github").resolve("dependabot.yml"));
        Map<String, List<Map<String, Object>>> configuration = new Yaml().load(file);
        return configuration.getOrDefault("updates", List.of()).stream()
                .filter(update -> ecosystem.equals(update.get("package-ecosystem")))
                .flatMap(update -> ((List<?>) update.getOrDefault("directories", List.of())).stream())
                .map(String::valueOf)
                .toList();
    }

    private static List<String> foldersWith(String name) throws IOException {
        List<String> folders = new ArrayList<>();
        Files.walkFileTree(REPOSITORY, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                if (PASSED_OVER.contains(directory.getFileName().toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                if (Files.exists(directory.resolve(name))) {
                    folders.add("/" + REPOSITORY.relativize(directory));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return folders;
    }
}
