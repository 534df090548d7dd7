package io.controllermanager.promises;

import io.controllermanager.app.support.Project;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the promises stand: the page, the state of the last release, and the changelog. */
final class Promises {

    static final Path PROJECT = Project.FOLDER;

    /** The public types of the last release, without their code. Until there is one, those of a commit. */
    static final Path TYPES = PROJECT.resolve("release/promised/types.jar");

    /** The names of the last release: properties, metrics and the like, one a line, with their types. */
    static final Path NAMES = PROJECT.resolve("release/promised/names.txt");

    private static final Pattern PACKAGE = Pattern.compile("`(io\\.controllermanager\\.[a-z.]+)`");
    private static final Pattern SECTION = Pattern.compile("(?ms)^## .*?(?=^## |\\z)");
    /** One that is a patch, or a minor one from 1.0 on. */
    private static final Pattern BREAKS_NOTHING = Pattern.compile("## \\[(?:\\d+\\.\\d+\\.[1-9]|[1-9]\\d*\\.[1-9])");

    private static final Pattern BREAKING = Pattern.compile("(?ms)^### Breaking$(.*?)(?=^##|\\z)");
    private static final Pattern ITEM = Pattern.compile("(?m)^- ((?:`[^`]+`(?:, | and )?)+)");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    private Promises() {}

    /** Whether the state of the last release is to be written anew, which release/record-promises does. */
    static boolean recording() {
        return Boolean.getBoolean("promises.record");
    }

    static String page() throws IOException {
        return Files.readString(PROJECT.resolve("docs/compatibility.md"));
    }

    /** The packages whose public types are promised. */
    static Set<String> packages() throws IOException {
        String page = page();
        String table = page.substring(page.indexOf("\n## Java types\n"));
        return matches(PACKAGE, table.substring(0, table.indexOf("\n## ", 1)));
    }

    /**
     * What the newest section of the changelog names as broken: items begin with the names, in code marks.
     *
     * @throws AssertionError if it is of a version that may break nothing, and yet has the heading
     */
    static Set<String> namedBreaks() throws IOException {
        return namedBreaks(Files.readString(PROJECT.resolve("CHANGELOG.md")));
    }

    static Set<String> namedBreaks(String changelog) {
        Matcher section = SECTION.matcher(changelog);
        if (!section.find()) {
            return Set.of();
        }
        Matcher breaking = BREAKING.matcher(section.group());
        Set<String> names = new TreeSet<>();
        if (breaking.find()) {
            if (BREAKS_NOTHING.matcher(section.group()).lookingAt()) {
                throw new AssertionError("this version may break nothing, but CHANGELOG.md has \"### Breaking\" under "
                        + section.group().lines().findFirst().orElseThrow());
            }
            matches(ITEM, breaking.group(1)).forEach(item -> names.addAll(matches(CODE, item)));
        }
        return names;
    }

    /** Whether they name a line of {@link #NAMES}: whole, without kind and type, or that of which it is a part. */
    static boolean areNamed(Set<String> breaks, String line) {
        String name = line.substring(line.indexOf(' ') + 1).replaceFirst(": .*", "");
        return breaks.contains(line) || breaks.contains(name) || breaks.contains(name.replaceFirst("[{=].*", ""));
    }

    private static Set<String> matches(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        for (Matcher match = pattern.matcher(text); match.find(); ) {
            found.add(match.group(1));
        }
        return found;
    }
}
