package io.controllermanager.apiserver.cel;

import java.util.Set;
import java.util.regex.Pattern;

/** How rules write the names of properties (apiserver, pkg/cel/escaping.go). */
final class Names {

    private static final Set<String> RESERVED =
            Set.of(("true false null in as break const continue else for function if"
                            + " import let loop package namespace return var void while")
                    .split(" "));
    private static final Pattern NAMEABLE = Pattern.compile("[a-zA-Z_./-][a-zA-Z0-9_./-]*");
    private static final Pattern ESCAPED = Pattern.compile("__|[./-]");

    private Names() {}

    /** The identifier that stands for a property; one that begins with a space, and so is none, where rules cannot name it. */
    static String escape(String property) {
        if (RESERVED.contains(property)) {
            return "__" + property + "__";
        }
        if (!NAMEABLE.matcher(property).matches()) {
            return " " + property;
        }
        return ESCAPED.matcher(property).replaceAll(match -> switch (match.group()) {
            case "__" -> "__underscores__";
            case "." -> "__dot__";
            case "-" -> "__dash__";
            default -> "__slash__";
        });
    }
}
