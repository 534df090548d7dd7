package io.controllermanager.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/** What a reader of the tutorial has: the archetype's project, then changed step by step. */
final class TutorialProject implements AutoCloseable {

    static final Path EXAMPLE = Page.PROJECT.resolve("examples/website/src/main/java/com/example/website");

    private static final String PACKAGE = "com/example/website/";
    private static final Path ARCHETYPE =
            Page.PROJECT.resolve("archetypes/controller/src/main/resources/archetype-resources/src");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;$");
    private static final Pattern REMOVE = Pattern.compile("(?m)^rm (src/\\S+)$");
    private static final Pattern COPY = Pattern.compile("(?m)^cp \\$CLONE/(\\S+/)(\\w+\\.java) (src/\\S+/)$");

    private final Map<String, String> files = new TreeMap<>();
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

    /** One for all steps: it reads the class path once. */
    private final StandardJavaFileManager manager =
            compiler.getStandardFileManager(null, Locale.ROOT, StandardCharsets.UTF_8);

    /** As {@code archetype:generate} makes it by the tutorial's command. */
    TutorialProject() throws IOException {
        manager.setLocationFromPaths(
                StandardLocation.CLASS_PATH,
                Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Path::of)
                        .toList());
        for (String root : List.of("main/java", "test/java")) {
            for (Path file : javaFiles(ARCHETYPE.resolve(root))) {
                String name = file.getFileName().toString().replace("__kind__", "Website");
                String text = Files.readString(file)
                        .replace("${package}", "com.example.website")
                        .replace("${kind}", "Website")
                        .replace("${group}", "example.com")
                        .replace("${artifactId}", "website-operator")
                        .replace("${singular}", "website")
                        .replace("${plural}", "websites");
                files.put("src/" + root + "/" + PACKAGE + name, text);
            }
        }
    }

    private static List<Path> javaFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            // Those of a validator are left out without -Dwebhooks=true.
            return files.filter(file -> file.toString().endsWith(".java")
                            && !file.getFileName().toString().startsWith("__kind__Validator"))
                    .toList();
        }
    }

    /** Does what a block of code says to the file that it is about. The imports are those of the file and of the block. */
    void edit(String fileName, String block) {
        String path = "src/main/java/" + PACKAGE + fileName;
        if (block.startsWith("package ")) {
            files.put(path, block);
            return;
        }
        String present = files.get(path);
        assertThat(present).as(fileName + " is not there").isNotNull();
        JavaSource edited = JavaSource.of(present).with(JavaSource.of(block));
        files.put(path, "package com.example.website;\n" + imports(present + block) + "\n" + edited.text());
    }

    private static String imports(String text) {
        return IMPORT.matcher(text).results().map(MatchResult::group).distinct().collect(Collectors.joining("\n"));
    }

    /** Removes and copies the sources that commands remove and copy. */
    void execute(String commands) throws IOException {
        for (Matcher remove = REMOVE.matcher(commands); remove.find(); ) {
            assertThat(files.remove(remove.group(1))).as(remove.group()).isNotNull();
        }
        for (Matcher copy = COPY.matcher(commands); copy.find(); ) {
            Path from = Page.PROJECT.resolve(copy.group(1) + copy.group(2));
            files.put(copy.group(3) + copy.group(2), Files.readString(from));
        }
    }

    /** The project as it is now, to see whether a step has changed it. */
    Map<String, String> files() {
        return Map.copyOf(files);
    }

    /** What a class says. */
    JavaSource source(String fileName) {
        return JavaSource.of(files.get("src/main/java/" + PACKAGE + fileName));
    }

    /** Compiles all of it, tests too, with the class path of this test. */
    URLClassLoader compile(Path directory) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path source = directory.resolve(file.getKey());
            Files.createDirectories(source.getParent());
            sources.add(Files.writeString(source, file.getValue()));
        }
        Path classes = Files.createDirectories(directory.resolve("classes"));
        StringWriter messages = new StringWriter();
        boolean compiled = compiler.getTask(
                        messages,
                        manager,
                        null,
                        List.of("-proc:none", "-d", classes.toString()),
                        null,
                        manager.getJavaFileObjectsFromPaths(sources))
                .call();
        assertThat(compiled).as(messages.toString()).isTrue();
        return new URLClassLoader(
                new URL[] {classes.toUri().toURL()}, getClass().getClassLoader());
    }

    @Override
    public void close() throws IOException {
        manager.close();
    }
}
