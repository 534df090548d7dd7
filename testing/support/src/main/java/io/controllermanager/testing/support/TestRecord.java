package io.controllermanager.testing.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;

/**
 * A file with a line for each test class that has ended: when, whether it passed or failed, and its name, with tabs between.
 * Every process of a build appends to the same file. A class that passed is not run again, so that a long run that was cut
 * off goes on where it was; whoever deletes the file begins anew.
 *
 * @param file need not exist
 */
record TestRecord(Path file) {

    /** The system property that names the file; without it, or where it is empty, nothing is recorded. */
    static final String PROPERTY = "test-record";

    private static final String PASSED = "passed";
    private static final String FAILED = "failed";

    /** The one that the system property names. */
    static Optional<TestRecord> configured() {
        String file = System.getProperty(PROPERTY, "");
        return file.isEmpty() ? Optional.empty() : Optional.of(new TestRecord(Path.of(file)));
    }

    /** The names of the classes that have passed and have not failed since. */
    Set<String> passed() {
        if (!Files.exists(file)) {
            return Set.of();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines
                    .map(line -> List.of(line.split("\t", -1)))
                    .filter(columns -> columns.size() == 3)
                    .collect(
                            Collectors.toMap(columns -> columns.get(2), columns -> columns.get(1), (one, next) -> next))
                    .entrySet()
                    .stream()
                    .filter(entry -> entry.getValue().equals(PASSED))
                    .map(java.util.Map.Entry::getKey)
                    .collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Appends a line. */
    void add(Instant ended, boolean passed, String className) {
        try {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                Files.createDirectories(directory);
            }
            // One short write: lines of two processes do not mix.
            Files.writeString(
                    file,
                    String.join("\t", ended.toString(), passed ? PASSED : FAILED, className) + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The name of the class that is the source of a node in the tree of tests, if it is one. */
    static Optional<String> className(Optional<TestSource> source) {
        return source.filter(ClassSource.class::isInstance).map(of -> ((ClassSource) of).getClassName());
    }
}
