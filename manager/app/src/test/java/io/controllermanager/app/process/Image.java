package io.controllermanager.app.process;

import io.controllermanager.app.support.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a container runs unless its pod says otherwise: the executable, laid out as in the image, which starts with a third
 * less CPU time than from one jar.
 *
 * @param jar beside the libraries that it needs
 */
public record Image(Path jar) {

    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    private static @Nullable Image shared;

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
        return new Image(directory.resolve(executable.getFileName()));
    }

    /** With one compiler, since a start takes much less CPU time so. */
    public List<String> entryPoint() {
        return List.of(JAVA.toString(), "-XX:TieredStopAtLevel=1", "-jar", jar.toString());
    }
}
