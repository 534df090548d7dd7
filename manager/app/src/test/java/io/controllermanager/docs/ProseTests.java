package io.controllermanager.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The text of the documentation: short paragraphs, links that lead somewhere, and names of classes that exist. */
class ProseTests {

    private static final int LONGEST_PARAGRAPH = 120;

    private static final Pattern LINK = Pattern.compile("\\]\\(([^):]*?)(#[^)]+)?\\)");
    private static final Pattern CLASS_NAME = Pattern.compile("`([A-Z]\\w+)(\\.\\w+)?`");
    private static final Pattern CODE_TABLE = Pattern.compile("(?m)^\\| to change \\|.*\\R(\\|.*\\R)+");

    @ParameterizedTest
    @MethodSource("pages")
    void noParagraphIsLong(Page page) {
        assertThat(page.paragraphs())
                .allSatisfy(paragraph -> assertThat(paragraph.split("\\s+").length)
                        .as(paragraph)
                        .isLessThanOrEqualTo(LONGEST_PARAGRAPH));
    }

    @Test
    void countsParagraphsAsAReaderSeesThem() {
        String text = """
                # A heading

                One paragraph
                on two lines.
                - An item
                  on two lines
                - Another
                | a | table |
                ```sh
                code
                ```
                The last.
                """;

        assertThat(Page.paragraphs(text))
                .containsExactly("One paragraph on two lines.", "- An item on two lines", "- Another", "The last.");
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everyLinkLeadsSomewhere(Page page) throws IOException {
        for (Matcher link = LINK.matcher(page.prose()); link.find(); ) {
            Path file = link.group(1).isEmpty() ? page.file() : page.file().resolveSibling(link.group(1));
            assertThat(file).as(link.group()).exists();
            if (link.group(2) != null) {
                assertThat(anchors(file)).as(link.group()).contains(link.group(2));
            }
        }
    }

    /** As GitHub makes them of headings. */
    private static List<String> anchors(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .map(anchor -> "#" + anchor)
                .toList();
    }

    /** The tables that say where to change something. */
    @Test
    void classesThatPagesNameExist() throws IOException {
        String sources = Page.files("manager", ".java").stream()
                .map(file -> "/" + file.getFileName())
                .collect(Collectors.joining());
        int named = 0;
        for (Page page : pages().toList()) {
            for (Matcher table = CODE_TABLE.matcher(page.prose()); table.find(); ) {
                for (Matcher name = CLASS_NAME.matcher(table.group()); name.find(); named++) {
                    assertThat(sources).as(page + ": " + name.group()).contains("/" + name.group(1) + ".java");
                }
            }
        }
        assertThat(named).isGreaterThan(50);
    }

    static Stream<Page> pages() throws IOException {
        return Stream.concat(
                Stream.of(new Page(Page.PROJECT.resolve("README.md"))),
                Page.files("docs", ".md").stream().map(Page::new));
    }
}
