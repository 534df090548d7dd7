package io.controllermanager.crd;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;

/** Regular expressions of annotations match a whole text, those of schemas a part of it. */
final class Patterns {

    private Patterns() {}

    /**
     * The same expression for a schema.
     *
     * @throws InvalidTypeException if the API server cannot read it
     */
    static String whole(String regexp, Place place) {
        boolean alternatives = hasAlternatives(regexp);
        boolean anchored = regexp.startsWith("^") && regexp.endsWith("$") && !regexp.endsWith("\\$");
        String whole = anchored && !alternatives ? regexp : "^" + (alternatives ? "(?:" + regexp + ")" : regexp) + "$";
        try {
            Pattern.compile(whole);
            return whole;
        } catch (PatternSyntaxException e) {
            throw place.invalid(
                    "the pattern " + regexp + " is none of the API server's (RE2, which has no look-around and no"
                            + " back references): " + e.getDescription());
        }
    }

    /** Whether it has a bar outside of parentheses and brackets, which an anchor would bind to one side. */
    private static boolean hasAlternatives(String regexp) {
        int depth = 0;
        boolean inBrackets = false;
        for (int i = 0; i < regexp.length(); i++) {
            char c = regexp.charAt(i);
            if (c == '\\') {
                i++;
            } else if (inBrackets) {
                inBrackets = c != ']';
            } else if (c == '[') {
                inBrackets = true;
            } else if (c == '(') {
                depth++;
            } else if (c == ')') {
                depth--;
            } else if (c == '|' && depth == 0) {
                return true;
            }
        }
        return false;
    }
}
