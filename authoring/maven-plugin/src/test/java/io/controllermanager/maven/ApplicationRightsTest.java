package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an application makes of what its own controllers and those of its libraries declare. */
class ApplicationRightsTest {

    private static final String FOLDER = "META-INF/controller-manager/rbac/";
    private static final String OWN = "# Generated\nenabledByDefault: false\nrules:\n  - of: own\n";
    private static final String LIBRARY = "rules:\n  - of: library\n";

    @TempDir
    private Path folder;

    private CompiledModule module;

    @BeforeEach
    void makeApplication() throws IOException {
        Path classes = folder.resolve("classes");
        Files.writeString(Files.createDirectories(classes.resolve(FOLDER)).resolve("own.yaml"), OWN);
        Path jar = folder.resolve("library.jar");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(file)) {
            entries.putNextEntry(new JarEntry(FOLDER));
            entries.putNextEntry(new JarEntry(FOLDER + "library.yaml"));
            entries.write(("# Of a library\n" + LIBRARY).getBytes(StandardCharsets.UTF_8));
        }
        URL own = classes.toUri().toURL();
        module = new CompiledModule(
                classes,
                new URLClassLoader(new URL[] {own}),
                new URLClassLoader(new URL[] {own, jar.toUri().toURL()}),
                List.of(),
                StandardCharsets.UTF_8);
    }

    @Test
    void areCopiedAsTheyAre() {
        assertThat(new RightsCopyGenerator().generate(module))
                .containsOnlyKeys("library.yaml", "own.yaml")
                .containsEntry("own.yaml", OWN)
                .containsEntry("library.yaml", "# Of a library\n" + LIBRARY);
    }

    @Test
    void becomeTheRulesOfARole() throws IOException {
        Path role = folder.resolve("role.yaml");
        Files.writeString(role, "# Mine\nkind: ClusterRole\nrules:\n  - of: yesterday\n");

        assertThat(new RoleGenerator(role).generate(module))
                .containsOnlyKeys("role.yaml")
                .containsValue("""
                # Mine
                kind: ClusterRole
                rules:
                  # library
                  - of: library
                  # own
                  - of: own
                  # Events of all controllers
                  - apiGroups: [events.k8s.io]
                    resources: [events]
                    verbs: [create, patch]
                """);
    }

    @Test
    void needALineBelowWhichTheyStand() throws IOException {
        Path role = folder.resolve("role.yaml");
        Files.writeString(role, "kind: ClusterRole\nrules: none\n");

        assertThatThrownBy(() -> new RoleGenerator(role).generate(module))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(role + " has no line \"rules:\" below which the rules stand");
    }

    @Test
    void standWhateverTheLineEnds() throws IOException {
        Path role = folder.resolve("role.yaml");
        Files.writeString(role, "kind: Role\r\nrules: ");
        declare("own.yaml", "rules:\r\n  - of: own");

        assertThat(new RoleGenerator(role).generate(module).get("role.yaml"))
                .startsWith("kind: Role\nrules:\n  # library\n  - of: library\n  # own\n  - of: own\n  # Events");
    }

    @Test
    void nameTheModuleWhoseFileHasNoRules() throws IOException {
        Path role = folder.resolve("role.yaml");
        Files.writeString(role, "rules:\n");
        declare("own.yaml", "rules: none\n");

        assertThatThrownBy(() -> new RoleGenerator(role).generate(module))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("own.yaml of .*classes/META-INF/.* has no line \"rules:\" .*");
    }

    /** A Role could not grant it. */
    @Test
    void holdInTheWholeClusterInAClusterRoleAlone() throws IOException {
        declare("own.yaml", """
                hostRules:
                  - of: host
                # Everywhere
                clusterRules:
                  - of: cluster
                    # as well
                    and: more
                rules: []
                """);
        Path role = folder.resolve("role.yaml");

        Files.writeString(role, "kind: ClusterRole\nrules: []\n");
        assertThat(new RoleGenerator(role).generate(module).get("role.yaml")).startsWith("""
                kind: ClusterRole
                rules:
                  # library
                  - of: library
                  # own
                  - of: cluster
                    # as well
                    and: more
                  # Events""");
        Files.writeString(role, "kind: Role\nrules:\n");
        assertThat(new RoleGenerator(role).generate(module).get("role.yaml"))
                .startsWith("kind: Role\nrules:\n  # library\n  - of: library\n  # own\n  # Events");
    }

    @Test
    void areOneTextForAController() throws IOException {
        declare("library.yaml", LIBRARY);

        assertThatThrownBy(() -> new RightsCopyGenerator().generate(module))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching(
                        "library.yaml: .*classes/.* and .*library.jar declare different rights for one controller");
    }

    @Test
    void areRefusedAManifestThatGoesOn() throws IOException {
        Path role = folder.resolve("role.yaml");
        Files.writeString(role, "---\nkind: Role\nrules:\n---\nkind: RoleBinding\n");

        assertThatThrownBy(() -> new RoleGenerator(role).generate(module))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(role + " has a line \"---\" after \"rules:\": what follows it would be lost");
    }

    @Test
    void shareAFolderWithTheRole() throws IOException {
        Path role = folder.resolve("role.yaml");
        Files.writeString(role, "rules:\n");
        Map<Path, List<Generator>> generators = new LinkedHashMap<>();
        GeneratedFilesMojo.add(generators, folder, new RightsCopyGenerator());
        GeneratedFilesMojo.add(generators, folder.resolve("classes/.."), new RoleGenerator(role));

        assertThat(generators).hasSize(1);
        MergedGenerator merged =
                new MergedGenerator(generators.values().iterator().next());
        assertThat(merged.generate(module)).containsOnlyKeys("library.yaml", "own.yaml", "role.yaml");
        assertThat(merged.onlyCopies()).isFalse();
    }

    @Test
    void areThoseOfTheRuntimeClassPath() throws IOException {
        try (InputStream descriptor = GeneratedFilesMojo.class.getResourceAsStream("/META-INF/maven/plugin.xml")) {
            assertThat(new String(descriptor.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("<requiresDependencyResolution>compile+runtime<")
                    .doesNotContain("<requiresDependencyResolution>compile<");
        }
    }

    private void declare(String name, String text) throws IOException {
        Files.writeString(module.classes().resolve(FOLDER).resolve(name), text);
    }
}
