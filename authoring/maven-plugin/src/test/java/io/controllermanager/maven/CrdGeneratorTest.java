package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrdGeneratorTest {

    @TempDir
    Path folder;

    @TempDir
    Path classes;

    private CompiledModule module;

    @BeforeEach
    void compile(@TempDir Path sources) throws IOException {
        Files.writeString(sources.resolve("Thing.java"), """
            import io.controllermanager.types.CustomObject;
            import io.controllermanager.types.CustomResource;

            @CustomResource(group = "example.com", version = "v1")
            public final class Thing extends CustomObject<Thing.Spec, Void> {

                public record Spec(int count) {}
            }
            """);
        module = CompiledSources.compile(sources, classes, "Thing.java");
    }

    private Set<String> files() {
        return new CrdGenerator(folder, warning -> {}).generate(module).keySet();
    }

    @Test
    void namesAFileAfterTheCrd() throws IOException {
        assertThat(new CrdGenerator(folder.resolve("missing"), warning -> {}).generate(module))
                .containsOnlyKeys("things.example.com.yaml");

        Files.writeString(folder.resolve("kustomization.yaml"), "resources: [things.yaml]\n");
        Files.writeString(folder.resolve("template.yaml"), "{{ toYaml .Values }}\n");
        Files.writeString(folder.resolve("thing.yaml"), "kind: Thing\nmetadata: {name: things.example.com}\n");
        assertThat(files()).containsExactly("things.example.com.yaml");
    }

    /** A file of another name would be written beside it, and compared with nothing. */
    @Test
    void comparesWithTheFileThatHasTheCrd() throws IOException {
        String committed = """
            kind: CustomResourceDefinition
            metadata: {name: things.example.com}
            spec: {scope: Cluster, names: {kind: Thing}}
            """;
        Files.writeString(folder.resolve("example.com_things.yaml"), committed);
        assertThat(files()).containsExactly("example.com_things.yaml");

        CrdGenerator generator = new CrdGenerator(folder, warning -> {});
        Map<String, String> generated = generator.generate(module);
        assertThat(FileChange.between(
                        new GeneratedFolder(folder, GeneratedFolder.Generated.MARKED).read(generated.keySet()),
                        generated,
                        generator))
                .extracting(FileChange::breaks)
                .containsExactly(List.of("scope Cluster becomes Namespaced"));

        Files.writeString(folder.resolve("things.example.com.yaml"), committed);
        assertThat(files()).containsExactly("things.example.com.yaml");
    }
}
