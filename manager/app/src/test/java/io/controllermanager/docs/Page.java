package io.controllermanager.docs;

import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation. */
record Page(Path file) {

    /** The folder of the whole project. */
    static final Path PROJECT =
            Objects.requireNonNull(Manifests.configDirectory().getParent());

    /** Where a page leaves something out, on a line of its own. */
    private static final Pattern ELISION = Pattern.compile("(?m)^\\s*…\\s*$");

    private static final Pattern FENCED = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");
    private static final Pattern HEREDOC = Pattern.compile("(?ms)<<'YAML'\\n(.*?)^YAML$");

    /** What ends a paragraph: an empty line, a heading, a row of a table, a comment, or the next item of a list. */
    private static final Pattern PARAGRAPH_END =
            Pattern.compile("(?m)^\\s*$|^(#|\\s*\\||<!--).*$|^(?=\\s*([-*]|\\d+\\.) )");

    private static final Pattern VERSION = Pattern.compile("(<version\\.controller-manager>)[^<]*");
    private static final Pattern SPACE = Pattern.compile("\\s+");

    /** All that people read to use, run or change the project. */
    static List<Page> all() throws IOException {
        List<Page> pages = new ArrayList<>();
        for (String name : List.of(
                "README.md",
                "CONTRIBUTING.md",
                "benchmarks/README.md",
                "examples/tenant-database/README.md",
                "examples/website/README.md")) {
            pages.add(new Page(PROJECT.resolve(name)));
        }
        files("docs", ".md").forEach(file -> pages.add(new Page(file)));
        return pages;
    }

    /** The project's files whose names end so, but for what has been built. */
    static List<Path> files(String folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(PROJECT.resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> !PROJECT.relativize(file).toString().matches("(.*/)?(target|\\.git)/.*"))
                    .sorted()
                    .toList();
        }
    }

    /** Its blocks of code. */
    List<Block> blocks() {
        String text = read(file);
        List<Block> blocks = new ArrayList<>();
        for (Matcher block = FENCED.matcher(text); block.find(); ) {
            long line = text.substring(0, block.start()).lines().count() + 1;
            blocks.add(new Block(PROJECT.relativize(file) + ":" + line, block.group(1), block.group(2)));
        }
        return blocks;
    }

    /** Its text without blocks of code. */
    String prose() {
        return FENCED.matcher(read(file)).replaceAll("\n");
    }

    /** Its paragraphs and items of lists, each on one line. */
    List<String> paragraphs() {
        return paragraphs(read(file));
    }

    static List<String> paragraphs(String text) {
        return PARAGRAPH_END
                .splitAsStream(FENCED.matcher(text).replaceAll("\n"))
                .map(paragraph -> SPACE.matcher(paragraph.strip()).replaceAll(" "))
                .filter(paragraph -> !paragraph.isEmpty())
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A block of code.
     *
     * @param place page and line
     * @param language what stands behind the fence, may be empty
     */
    record Block(String place, String language, String text) {

        /** Whether nothing is left out. */
        boolean isWhole() {
            return !ELISION.matcher(text).find();
        }

        /** Whether all that is shown stands in the text in this order, however lines are broken and indented. */
        boolean standsIn(String normalised) {
            int from = 0;
            for (String run : ELISION.split(text)) {
                String wanted = normalise(run);
                int found = normalised.indexOf(wanted, from);
                if (found < 0) {
                    return false;
                }
                from = found + wanted.length();
            }
            return true;
        }

        /** The commands, without comments and what is fed to them. */
        List<Command> commands() {
            return HEREDOC.matcher(text)
                    .replaceAll("")
                    .replaceAll("\\\\\\n", " ")
                    .lines()
                    .map(line -> line.replaceAll("(^|\\s)#.*", "")
                            .replaceAll("[\"']", "")
                            .strip())
                    .filter(line -> !line.isEmpty())
                    .map(line -> new Command(Arrays.asList(SPACE.split(line))))
                    .toList();
        }

        /** What is fed to commands: {@code kubectl apply -f - <<'YAML'}. */
        List<String> manifests() {
            return HEREDOC.matcher(text).results().map(found -> found.group(1)).toList();
        }

        @Override
        public String toString() {
            return place;
        }
    }

    /** Without any space: a page may break lines elsewhere. Without this project's version: a page names the last release. */
    static String normalise(String text) {
        return VERSION.matcher(SPACE.matcher(text).replaceAll("")).replaceAll("$1");
    }
}
