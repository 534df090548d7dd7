package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.types.CustomResource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnnotatedClassesTest {

    @TempDir
    Path sources;

    @TempDir
    Path classes;

    private CompiledModule compile(String source) throws IOException {
        Path file = Files.createDirectories(sources.resolve("com/example")).resolve("Types.java");
        Files.writeString(file, "package com.example;\n" + source);
        return CompiledSources.compile(sources, classes, "com/example/Types.java");
    }

    @Test
    void areFoundAndNotInitialized() throws IOException {
        CompiledModule module = compile("""
            import io.controllermanager.types.*;
            class Types {
                static final Object NEVER = fail();
                static Object fail() { throw new AssertionError("initialized"); }

                @CustomResource(group = "example.com", version = "v1")
                static class Nested extends CustomObject<String, Void> {
                    static final Object NEVER = fail();
                }
                CustomResource mentioned;
            }
            """);

        assertThat(AnnotatedClasses.in(module, CustomResource.class))
                .extracting(Class::getName)
                .containsExactly("com.example.Types$Nested");
    }

    @Test
    void areNoneInAFolderThatIsMissing() {
        ClassLoader loader = getClass().getClassLoader();
        CompiledModule module =
                new CompiledModule(classes.resolve("missing"), loader, loader, List.of(), StandardCharsets.UTF_8);

        assertThat(AnnotatedClasses.in(module, CustomResource.class)).isEmpty();
        assertThat(new CrdGenerator(Path.of("missing"), warning -> {}).generate(module))
                .isEmpty();
    }

    @Test
    void areRefusedIfTheyCannotBeLoaded() throws IOException {
        CompiledModule module = compile("""
            import io.controllermanager.types.*;
            class Types {
                static class Missing {}

                @CustomResource(group = "example.com", version = "v1")
                static class Nested extends Missing {}
            }
            """);
        Files.delete(classes.resolve("com/example/Types$Missing.class"));

        assertThatThrownBy(() -> AnnotatedClasses.in(module, CustomResource.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Cannot load com.example.Types$Nested: java.lang.NoClassDefFoundError:"
                        + " com/example/Types$Missing");
    }
}
