package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.crd.InvalidTypeException;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.project.MavenProject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratedFilesMojoTest {

    private static void set(GeneratedFilesMojo goal, String name, Object value) throws ReflectiveOperationException {
        Field field = GeneratedFilesMojo.class.getDeclaredField(name);
        field.setAccessible(true);
        field.set(goal, value);
    }

    /** Maven shows the message, and the cause with {@code -e}. */
    @Test
    void tellsWhyItFails(@TempDir Path sources, @TempDir Path module) throws IOException, ReflectiveOperationException {
        Files.writeString(sources.resolve("Thing.java"), """
            import io.controllermanager.types.CustomObject;
            import io.controllermanager.types.CustomResource;

            @CustomResource(group = "example.com", version = "v1")
            public final class Thing extends CustomObject<Thing.Spec, Void> {

                public record Spec(char letter) {}
            }
            """);
        CompiledSources.compile(sources, module, "Thing.java");
        MavenProject project = new MavenProject();
        project.setFile(module.resolve("pom.xml").toFile());
        project.getBuild().setOutputDirectory(module.toString());
        GenerateMojo goal = new GenerateMojo();
        set(goal, "project", project);
        set(goal, "crdDirectory", module.resolve("crd").toFile());
        set(goal, "webhookDirectory", module.resolve("webhook").toFile());
        set(goal, "rightsDirectory", module.resolve("rbac").toFile());

        assertThatThrownBy(goal::execute)
                .isExactlyInstanceOf(MojoFailureException.class)
                .hasMessageStartingWith("Thing: .spec.letter: client-java's Gson does not read and write char")
                .hasCauseExactlyInstanceOf(InvalidTypeException.class);
    }
}
