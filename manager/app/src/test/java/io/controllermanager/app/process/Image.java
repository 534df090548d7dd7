package io.controllermanager.app.process;

import io.controllermanager.app.support.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a container runs unless its pod says otherwise: the executable, laid out as in the image and with an archive of its
 * loaded classes. It starts with half the CPU time that it takes from one jar.
 *
 * @param entryPoint the command without the program's own arguments
 */
public record Image(List<String> entryPoint) {

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    /** A start takes much less CPU time so. */
    private static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

    private static @Nullable Image shared;

    /** The JVM of the tests, for a program that is not laid out. */
    static List<String> java() {
        return List.of(JAVA.toString(), ONE_COMPILER);
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

    private static Image layOut(Path executable, Path directory) throws IOException, InterruptedException {
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
        String jar = directory.resolve(executable.getFileName()).toString();
        Path archive = directory.resolve("classes.jsa");
        Programs.run(
                        JAVA,
                        List.of(
                                ONE_COMPILER,
                                "-XX:ArchiveClassesAtExit=" + archive,
                                "-Dspring.context.exit=onRefresh",
                                "-jar",
                                jar,
                                "--kubeconfig=" + Kubeconfigs.unreachable(directory)))
                .expectOut();
        return new Image(List.of(JAVA.toString(), ONE_COMPILER, "-XX:SharedArchiveFile=" + archive, "-jar", jar));
    }
}
