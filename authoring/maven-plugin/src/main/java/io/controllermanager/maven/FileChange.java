package io.controllermanager.maven;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A file that is not what the classes say.
 *
 * @param name the file's name
 * @param committed the text that is there, null if there is none
 * @param generated the text that the classes give, null if none of them makes the file
 * @param breaks what goes wrong with what is in use once the file is changed, a line each
 */
record FileChange(
        String name, @Nullable String committed, @Nullable String generated, List<String> breaks) {

    /** Lines of the same text around a difference. */
    private static final int CONTEXT = 3;

    /** How a line begins that the archetype has in its files: its sample is there to be replaced, whatever that breaks. */
    private static final String SAMPLE = "# Nothing is stored yet";

    /**
     * The changes that make the committed files the generated ones, by name. Line ends do not count.
     *
     * @param committed the texts of the files that were generated once, and of those that are about to be
     */
    static List<FileChange> between(Map<String, String> committed, Map<String, String> generated, Generator generator) {
        TreeSet<String> names = new TreeSet<>(committed.keySet());
        names.addAll(generated.keySet());
        List<FileChange> changes = new ArrayList<>();
        for (String name : names) {
            String old = committed.get(name);
            String now = generated.get(name);
            if (old == null || now == null || !lines(old).equals(lines(now))) {
                changes.add(new FileChange(name, old, now, breaks(name, old, now, generator)));
            }
        }
        return changes;
    }

    private static List<String> breaks(
            String name, @Nullable String committed, @Nullable String generated, Generator generator) {
        if (committed == null || committed.contains("\n" + SAMPLE)) {
            return List.of();
        }
        try {
            return generator.breaks(committed, generated);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    /** The difference as {@code diff -u} shows it, or which of the texts is missing. */
    String difference() {
        if (committed == null) {
            return "it is missing";
        }
        if (generated == null) {
            return "no class makes it";
        }
        List<String> old = lines(committed);
        return String.join(
                "\n",
                UnifiedDiffUtils.generateUnifiedDiff(
                        "committed/" + name, "generated/" + name, old, DiffUtils.diff(old, lines(generated)), CONTEXT));
    }

    private static List<String> lines(String text) {
        return text.lines().filter(line -> !line.startsWith(SAMPLE)).toList();
    }
}
