package io.controllermanager.spring.config;

import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Finds the name that somebody may have meant by one that does not exist. Measured beside commons-text
 * ({@code benchmarks/results/libraries.txt}): that takes twice the processor time at its first use, and is one jar more.
 */
public final class Nearest {

    private Nearest() {}

    /** The most similar of the known names, null if none is similar. A typing error in each four letters is forgiven. */
    public static @Nullable String to(String name, Collection<String> known) {
        String nearest = null;
        int least = Math.max(2, name.length() / 4) + 1;
        for (String candidate : known) {
            int distance = distance(name, candidate);
            if (distance < least) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** Levenshtein's edit distance. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(substituted, 1 + Math.min(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[b.length()];
    }
}
