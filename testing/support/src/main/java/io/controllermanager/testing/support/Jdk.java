package io.controllermanager.testing.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A JDK of the version that the image's base has.
 *
 * @param home its directory
 */
public record Jdk(Path home) {

    private static final String VERSION = "25";
    private static final String VARIABLE = "JAVA_HOME_25";

    /**
     * That which {@code JAVA_HOME_25} names, the one that runs this, or one beside it.
     *
     * @throws AssertionError if none of them has the version
     */
    public static Jdk ofTheImage() throws IOException {
        Path own = Path.of(System.getProperty("java.home"));
        List<Path> homes = new ArrayList<>();
        String named = System.getenv(VARIABLE);
        if (named != null && !named.isBlank()) {
            homes.add(Path.of(named));
        }
        homes.add(own);
        try (Stream<Path> beside = Files.list(own.resolveSibling(""))) {
            beside.sorted().forEach(homes::add);
        }
        for (Path home : homes) {
            if (isRight(home)) {
                return new Jdk(home);
            }
        }
        throw new AssertionError("The image runs on Java " + VERSION + ": name a JDK of that version by " + VARIABLE
                + ", or put it beside " + own);
    }

    private static boolean isRight(Path home) throws IOException {
        Path release = home.resolve("release");
        return Files.isExecutable(home.resolve("bin/java"))
                && Files.isRegularFile(release)
                && Files.readString(release).contains("JAVA_VERSION=\"" + VERSION);
    }
}
