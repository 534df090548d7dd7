package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Project;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * This project's files in another folder, without what builds have made, and what runs there.
 *
 * @param folder where they are
 */
record ProjectCopy(Path folder) {

    /** The pages that POMs name; there are none. */
    static final String URL = "https://example.com/controller-manager";

    private static final Set<String> TAKES_OPTIONS_OF_MAVEN = Set.of("mvn", "release/image", "release/stage");
    private static final Set<String> NO_SOURCES = Set.of("target", ".git", ".cache", ".idea");

    /** The files that {@code which} takes. */
    static ProjectCopy of(Path folder, Predicate<Path> which) throws IOException {
        Files.walkFileTree(Project.FOLDER, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return NO_SOURCES.contains(directory.getFileName().toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (which.test(file)) {
                    Path copy = folder.resolve(Project.FOLDER.relativize(file).toString());
                    Files.createDirectories(copy.getParent());
                    // Not the times: a build must not depend on them.
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                    copy.toFile().setExecutable(file.toFile().canExecute());
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return new ProjectCopy(folder);
    }

    /** Runs a program there, which must succeed. {@code mvn} is that of this build, with its local repository. */
    void run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        assertThat(tryRun(environment, command)).as(log()).isZero();
    }

    /** Runs a program there. Its exit code. */
    int tryRun(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(command));
        if (TAKES_OPTIONS_OF_MAVEN.contains(command[0])) {
            all.add(1, "-Dmaven.repo.local=" + System.getProperty("maven.local-repository"));
        }
        ProcessBuilder program = new ProcessBuilder(all)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("run.log").toFile());
        program.environment().keySet().removeIf(name -> name.startsWith("MAVEN_GPG_") || name.equals("PROJECT_URL"));
        String maven = Path.of(System.getProperty("maven.home"), "bin").toString();
        program.environment().merge("PATH", maven, (path, first) -> first + File.pathSeparator + path);
        program.environment().putAll(environment);
        Process process = program.start();
        process.getOutputStream().close();
        return process.waitFor();
    }

    /** What the last program has said. */
    String log() throws IOException {
        return Files.readString(folder.resolve("run.log"), StandardCharsets.UTF_8);
    }
}
