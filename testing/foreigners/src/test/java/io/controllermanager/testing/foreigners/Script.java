package io.controllermanager.testing.foreigners;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Commands for a shell.
 *
 * @param files the folder of the files that they name
 */
record Script(List<String> commands, Path files) {

    static final Path FOLDER = Path.of("src/test/scripts");

    /** A file of this name, with one command a line, beside the folder of its files. */
    static Script named(String name) throws IOException {
        try (Stream<String> lines = Files.lines(FOLDER.resolve(name + ".script"))) {
            return new Script(
                    lines.filter(line -> !line.isBlank() && !line.startsWith("#"))
                            .toList(),
                    FOLDER.resolve(name));
        }
    }

    /** Runs all commands, one after the other. */
    List<Step> runIn(Workplace place) {
        List<Step> steps = new ArrayList<>();
        for (String command : commands) {
            steps.add(place.run(command, "/bin/sh", "-c", command));
        }
        return steps;
    }
}
