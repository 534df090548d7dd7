package io.controllermanager.testing.foreigners;

import java.util.List;
import java.util.regex.Pattern;

/** Takes out of an answer what is another one in each run: times, ages, versions, names made at random. */
final class Normal {

    private static final List<Change> CHANGES = List.of(
            change("\\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b", "<uid>"),
            change("eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*", "<token>"),
            change("\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?( ?[+-]\\d{4}|Z)?", "<time>"),
            change("\\w{3},? +\\d+ \\w{3} +(\\d{4} )?\\d\\d:\\d\\d:\\d\\d [+\\w]+( \\d{4})?", "<time>"),
            change("\\w{3} \\w{3} +\\d+ \\d\\d:\\d\\d:\\d\\d \\d{4}", "<time>"),
            change("(modifiedAt=|in record \\()\\d+", "$1<version>"),
            change("\\b([EWI])\\d{4} \\d\\d:\\d\\d:\\d\\d\\.\\d+ +\\d+ [\\w.]+:\\d+\\]", "$1 <log>"),
            change("(?i)(resource ?version\"?: *\"?|resourceVersion=)\\d+", "$1<version>"),
            change("(https?://)?(127\\.0\\.0\\.1|localhost):\\d+", "<server>"),
            change("\\b\\d+\\.\\d+\\.\\d+\\.\\d+\\b", "<address>"),
            change("(?<=nodePort: |:)3[012]\\d{3}\\b|\\b3[012]\\d{3}(?=/TCP)", "<port>"),
            change("-[bcdfghjklmnpqrstvwxz2456789]{5}\\b", "-<random>"),
            change("(LIVE|MERGED|kubectl-edit)-\\d+", "$1"),
            // Ages in tables and descriptions.
            change("(?m)(?<=^| )(\\d+[smhd])+(?= |$)", "<age>"),
            // The width of columns follows from all of these.
            change("(?m) +(?=$|\t)", ""),
            change("(?<=\\S) {2,}", "  "));

    private Normal() {}

    static String of(String answer) {
        String result = answer;
        for (Change change : CHANGES) {
            result = change.pattern().matcher(result).replaceAll(change.to());
        }
        return result;
    }

    private static Change change(String pattern, String to) {
        return new Change(Pattern.compile(pattern), to);
    }

    private record Change(Pattern pattern, String to) {}
}
