package io.controllermanager.app.process;

import io.controllermanager.app.Main;
import io.controllermanager.app.support.Programs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a container runs unless its pod says otherwise: the executable, laid out as in the image and with an archive of its
 * loaded classes. It starts with less than half the CPU time that it takes from one jar.
 *
 * @param java the JVM with its options
 * @param jar what it runs, which names its libraries
 */
public record Image(List<String> java, Path jar) {

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    /** A start takes much less CPU time so. */
    private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

    private static final Path TEST_CLASSES = Path.of("target", "test-classes").toAbsolutePath();

    private static @Nullable Image shared;

    /** The JVM of the tests, for a program that is not laid out. */
    static List<String> bareJava() {
        return List.of(JAVA.toString(), ONE_COMPILER);
    }

    /** A program that is not laid out, and has no archive. */
    public static Image ofOneJar(Path jar) {
        return new Image(bareJava(), jar);
    }

    /** The one that the tests of this JVM share, laid out beside the executable when it is first asked for. */
    public static synchronized Image shared() throws IOException, InterruptedException {
        Image made = shared;
        if (made == null) {
            Path executable = Path.of(System.getProperty("controller-manager.jar"));
            made = layOut(executable, executable.resolveSibling("test-image"));
            shared = made;
        }
        return made;
    }

    /** Lays an executable out, of this version or another. */
    static Image layOut(Path executable, Path directory) throws IOException, InterruptedException {
        Programs.run(
                        JAVA,
                        List.of(
                                "-Djarmode=tools",
                                "-jar",
                                executable.toString(),
                                "extract",
                                "--force",
                                "--destination",
                                directory.toString()))
                .expectOut();
        Path jar = directory.resolve(executable.getFileName());
        Path archive = directory.resolve("classes.jsa");
        Programs.run(
                        JAVA,
                        List.of(
                                ONE_COMPILER,
                                "-XX:ArchiveClassesAtExit=" + archive,
                                "-Dspring.context.exit=onRefresh",
                                "-jar",
                                jar.toString(),
                                "--kubeconfig=" + Kubeconfigs.unreachable(directory)))
                .expectOut();
        return new Image(List.of(JAVA.toString(), ONE_COMPILER, "-XX:SharedArchiveFile=" + archive), jar);
    }

    /** The command without the program's own arguments. */
    public List<String> entryPoint() {
        return Stream.concat(java.stream(), Stream.of("-jar", jar.toString())).toList();
    }

    /** The same with a class of the tests among the application's sources. */
    List<String> withSource(Class<?> source) {
        // The archive serves a class path that begins with what it was made from.
        return Stream.concat(
                        java.stream(),
                        Stream.of(
                                "-Dspring.main.sources=" + source.getName(),
                                "-cp",
                                jar + File.pathSeparator + TEST_CLASSES,
                                Main.class.getName()))
                .toList();
    }
}
