package io.controllermanager.apiserver.cel;

import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How rules write the names of properties (apiserver, pkg/cel/escaping.go). */
final class Names {

    private static final Set<String> RESERVED =
            Set.of(("true false null in as break const continue else for function if"
                            + " import let loop package namespace return var void while")
                    .split(" "));
    private static final Pattern NAMEABLE = Pattern.compile("[a-zA-Z_./-][a-zA-Z0-9_./-]*");
    private static final Pattern ESCAPED = Pattern.compile("__|[./-]");

    private Names() {}

    /** The identifier that stands for a property; null for one that rules cannot name. */
    static @Nullable String escape(String property) {
        if (RESERVED.contains(property)) {
            return "__" + property + "__";
        }
        if (!NAMEABLE.matcher(property).matches()) {
            return null;
        }
        Matcher escaped = ESCAPED.matcher(property);
        return escaped.replaceAll(match -> switch (match.group()) {
            case "__" -> "__underscores__";
            case "." -> "__dot__";
            case "-" -> "__dash__";
            default -> "__slash__";
        });
    }
}
