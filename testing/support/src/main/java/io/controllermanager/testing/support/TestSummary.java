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
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Prints, at the end of a build, how many tests ran in all modules, which classes took longest, and which tests were red. Reads
 * the reports that Maven's plugins for tests write.
 */
public final class TestSummary {

    private static final int SHOWN = 10;

    /** A test that was red, and green when it ran once more, has elements of the second kind. */
    private static final List<String> RED = List.of("failure", "error");

    private static final List<String> RED_ONCE = List.of("flakyFailure", "flakyError");

    private TestSummary() {}

    /**
     * What one report says.
     *
     * @param name the class
     * @param tests how many cases it has
     * @param seconds how long they took together
     * @param red the cases that stayed red, with the first line of what they say
     * @param redOnce the cases that were green when they ran once more, likewise
     */
    record Report(String name, int tests, double seconds, List<String> red, List<String> redOnce) {

        static Report read(Path file) {
            try {
                Element suite = DocumentBuilderFactory.newDefaultInstance()
                        .newDocumentBuilder()
                        .parse(file.toFile())
                        .getDocumentElement();
                List<Element> cases = elements(suite.getElementsByTagName("testcase"));
                return new Report(
                        suite.getAttribute("name"),
                        // The attribute is 0 for a class with parameters.
                        cases.size(),
                        // Above a thousand, with a comma.
                        Double.parseDouble(suite.getAttribute("time").replace(",", "")),
                        with(RED, cases),
                        with(RED_ONCE, cases));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (SAXException | ParserConfigurationException e) {
                throw new IllegalStateException("No report: " + file, e);
            }
        }

        private static List<String> with(List<String> tags, List<Element> cases) {
            return cases.stream()
                    .flatMap(testCase -> tags.stream()
                            .flatMap(tag -> elements(testCase.getElementsByTagName(tag)).stream())
                            .limit(1)
                            .map(outcome ->
                                    testCase.getAttribute("classname") + "." + testCase.getAttribute("name") + ": "
                                            + outcome.getTextContent()
                                                    .strip()
                                                    .lines()
                                                    .findFirst()
                                                    .orElse("")))
                    .toList();
        }

        private static List<Element> elements(NodeList nodes) {
            return IntStream.range(0, nodes.getLength())
                    .mapToObj(i -> (Element) nodes.item(i))
                    .toList();
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
        reports.stream()
                .flatMap(report -> report.redOnce().stream())
                .map(test -> "Red at first, green when it ran once more: " + test)
                .forEach(lines::add);
        // Last, so that the end of a log has them.
        reports.stream()
                .flatMap(report -> report.red().stream())
                .map(test -> "Red: " + test)
                .forEach(lines::add);
        return lines;
    }
}
