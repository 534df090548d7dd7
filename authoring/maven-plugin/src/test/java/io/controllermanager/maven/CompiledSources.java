package io.controllermanager.maven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Modules for tests, from their sources. */
final class CompiledSources {

    private CompiledSources() {}

    /** Compiles files of a source folder, and those that they need, with the class path of this test. */
    static CompiledModule compile(Path sources, Path classes, String... files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8)) {
            boolean compiled = compiler.getTask(
                            messages,
                            manager,
                            null,
                            List.of(
                                    "-proc:none",
                                    "-parameters",
                                    "-classpath",
                                    System.getProperty("java.class.path"),
                                    "-sourcepath",
                                    sources.toString(),
                                    "-d",
                                    classes.toString()),
                            null,
                            manager.getJavaFileObjects(List.of(files).stream()
                                    .map(sources::resolve)
                                    .toArray(Path[]::new)))
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
        URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()}, CompiledSources.class.getClassLoader());
        return new CompiledModule(classes, loader, loader, List.of(sources), StandardCharsets.UTF_8);
    }
}
