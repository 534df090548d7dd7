package io.controllermanager.app.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/** This project's files. */
public final class Project {

    public static final Path FOLDER =
            Objects.requireNonNull(Manifests.configDirectory().getParent());

    private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

    private Project() {}

    /** The folders of the modules that the root POM names, those of profiles too. */
    public static List<Path> modules() throws IOException {
        return MODULE.matcher(Files.readString(FOLDER.resolve("pom.xml")))
                .results()
                .map(module -> FOLDER.resolve(module.group(1)))
                .toList();
    }
}
