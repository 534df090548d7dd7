package io.controllermanager.testing.foreigners;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.util.diff.Delta;
import org.assertj.core.util.diff.DiffUtils;

/**
 * A file that says what the two servers answer differently. With {@code -Dforeigners.record=true} it is written; otherwise it
 * has to say what it would be written with.
 */
final class Differences {

    private static final Path FOLDER = Path.of("src/test/records");
    private static final int LONGEST = 300;

    private Differences() {}

    /** Holds what a client met on the two servers against the record of this name, or writes it there. */
    static void check(String name, List<Step> real, List<Step> embedded) throws IOException {
        check(name, of(real, embedded));
    }

    /** Holds a text against the record of this name, or writes it there. */
    static void check(String name, String text) throws IOException {
        Path file = FOLDER.resolve(name + ".txt");
        if (Boolean.getBoolean("foreigners.record")) {
            Files.createDirectories(FOLDER);
            Files.writeString(file, text);
        }
        assertThat(file)
                .as("what is recorded. If the new differences are meant, write them with -Dforeigners.record=true")
                .hasContent(text);
    }

    /** The steps that differ, as a text: what only the real server answers behind {@code -}, what only the embedded one {@code +}. */
    private static String of(List<Step> real, List<Step> embedded) {
        assertThat(embedded)
                .extracting(Step::command)
                .isEqualTo(real.stream().map(Step::command).toList());
        List<String> lines = new ArrayList<>();
        int same = 0;
        for (int i = 0; i < real.size(); i++) {
            if (real.get(i).equals(embedded.get(i))) {
                same++;
            } else {
                lines.add("");
                describe(real.get(i), embedded.get(i), lines);
            }
        }
        lines.add(0, "%d of %d the same; - is the real server, + the embedded one".formatted(same, real.size()));
        return String.join("\n", lines) + "\n";
    }

    private static void describe(Step real, Step embedded, List<String> lines) {
        lines.add("$ " + real.command());
        if (real.exitCode() != embedded.exitCode()) {
            lines.add("- exit code " + real.exitCode());
            lines.add("+ exit code " + embedded.exitCode());
        }
        for (Delta<String> delta : DiffUtils.diff(
                        real.output().lines().toList(),
                        embedded.output().lines().toList())
                .getDeltas()) {
            delta.getOriginal().getLines().forEach(line -> lines.add("- " + shortened(line)));
            delta.getRevised().getLines().forEach(line -> lines.add("+ " + shortened(line)));
        }
    }

    private static String shortened(String line) {
        return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
    }
}
