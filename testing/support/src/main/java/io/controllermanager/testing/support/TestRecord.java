package io.controllermanager.testing.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;

/**
 * A file with a line for each test class that has ended: when, of what, whether it passed or failed, and its name, with tabs
 * between. Every process of a build appends to the same file. A class that passed is not run again, so that a long run that
 * was cut off goes on where it was; whoever deletes the file begins anew.
 *
 * @param file need not exist
 * @param subject what is tested: the commit and the options. Lines of another subject do not count
 */
record TestRecord(Path file, String subject) {

    /** The system property that names the file; without it, or where it is empty, nothing is recorded. */
    static final String PROPERTY = "test-record";

    /** The system property that names the subject; without it, it is {@link Tested#SUBJECT}. */
    static final String SUBJECT = "test-record.subject";

    private static final List<String> OPTIONS =
            List.of("test", "it.test", "deep.minutes", "failover.rounds", "informer.seed", "workqueue.seed");
    private static final String PASSED = "passed";
    private static final String FAILED = "failed";

    /** The one that the system property names. */
    static Optional<TestRecord> configured() {
        String file = System.getProperty(PROPERTY, "");
        return file.isEmpty()
                ? Optional.empty()
                : Optional.of(new TestRecord(
                        Path.of(file),
                        Optional.ofNullable(System.getProperty(SUBJECT)).orElseGet(() -> Tested.SUBJECT)));
    }

    /** Found out once in each JVM that records. */
    private static final class Tested {

        /**
         * The commit, the JVM and the options that decide what runs. With changes that are not committed it is never the
         * same.
         */
        private static final String SUBJECT = Stream.concat(
                        Stream.of(commit(), System.getProperty("java.version", "")),
                        OPTIONS.stream().map(option -> option + "=" + System.getProperty(option, "")))
                .collect(Collectors.joining(" "));
    }

    private static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
                    .redirectErrorStream(true)
                    .start();
            String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 && !commit.endsWith("-dirty") ? commit : "unknown-" + UUID.randomUUID();
        } catch (IOException e) {
            return "unknown-" + UUID.randomUUID();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The names of the classes that have passed and have not failed since. */
    Set<String> passed() {
        if (!Files.exists(file)) {
            return Set.of();
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines
                    .map(line -> List.of(line.split("\t", -1)))
                    .filter(columns -> columns.size() == 4 && columns.get(1).equals(subject))
                    .collect(
                            Collectors.toMap(columns -> columns.get(3), columns -> columns.get(2), (one, next) -> next))
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
                    String.join("\t", ended.toString(), subject, passed ? PASSED : FAILED, className) + "\n",
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
