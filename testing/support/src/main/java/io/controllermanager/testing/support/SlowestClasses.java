package io.controllermanager.testing.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.xml.sax.SAXException;

/**
 * Prints, at the end of a build, how many tests ran in all modules and which classes took longest. Reads the reports that
 * Maven's plugins for tests write.
 */
public final class SlowestClasses {

    private static final int SHOWN = 10;

    private SlowestClasses() {}

    /**
     * What one report says.
     *
     * @param name the class
     * @param tests how many cases it has
     * @param seconds how long they took together
     */
    record Report(String name, int tests, double seconds) {

        static Report read(Path file) {
            try {
                Element suite = DocumentBuilderFactory.newDefaultInstance()
                        .newDocumentBuilder()
                        .parse(file.toFile())
                        .getDocumentElement();
                return new Report(
                        suite.getAttribute("name"),
                        // The attribute is 0 for a class with parameters.
                        suite.getElementsByTagName("testcase").getLength(),
                        // Above a thousand, with a comma.
                        Double.parseDouble(suite.getAttribute("time").replace(",", "")));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SAXException | ParserConfigurationException e) {
                throw new IllegalStateException("No report: " + file, e);
            }
        }
    }

    /**
     * Prints the summary.
     *
     * @param args the directory of the whole project, and when the build began, as ISO 8601 has it: older reports are left
     *     out
     */
    public static void main(String[] args) throws IOException {
        summary(reports(Path.of(args[0]), Instant.parse(args[1]))).forEach(System.out::println);
    }

    static List<Report> reports(Path project, Instant since) throws IOException {
        PathMatcher report = project.getFileSystem().getPathMatcher("glob:**/target/*-reports/TEST-*.xml");
        try (Stream<Path> files = Files.find(
                project,
                Integer.MAX_VALUE,
                (file, attributes) -> report.matches(file)
                        && !attributes.lastModifiedTime().toInstant().isBefore(since))) {
            return files.map(Report::read).toList();
        }
    }

    static List<String> summary(List<Report> reports) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%,d tests in %,d classes took %,.0f s. The slowest:",
                reports.stream().mapToInt(Report::tests).sum(),
                reports.size(),
                reports.stream().mapToDouble(Report::seconds).sum()));
        reports.stream()
                .sorted(Comparator.comparingDouble(Report::seconds).reversed())
                .limit(SHOWN)
                .map(report -> String.format(
                        Locale.ROOT, "%8.1f s %6d tests  %s", report.seconds(), report.tests(), report.name()))
                .forEach(lines::add);
        return lines;
    }
}
