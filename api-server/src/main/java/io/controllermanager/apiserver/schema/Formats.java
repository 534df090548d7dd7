package io.controllermanager.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.net.InetAddresses;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The formats of strings (kube-openapi, pkg/validation/strfmt). Where Go has a parser, these are expressions for what people
 * write.
 */
final class Formats {

    /** Those of CRDs, without dashes (apiextensions-apiserver, pkg/apiserver/validation/formats.go). */
    private static final Set<String> SUPPORTED = Set.of(
            ("bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn"
                            + " hexcolor rgbcolor byte password date duration datetime")
                    .split(" "));

    private static final Pattern BYTE =
            Pattern.compile("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})");
    /** Go's notation, and not ISO 8601's. */
    private static final Pattern DURATION =
            Pattern.compile("[-+]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|ms|s|m|h))+)");

    private static final Pattern TIME =
            Pattern.compile("([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(.\\d+)?(z|[-+]\\d\\d:\\d\\d)");

    private static final String ATOM = "[^\\s\\p{Cntrl}()<>\\[\\]:;@\\\\,.\"]+";
    private static final String ADDRESS = "(%1$s(\\.%1$s)*|\"[^\"\\\\\\p{Cntrl}]*\")@%1$s(\\.%1$s)*".formatted(ATOM);
    private static final Pattern EMAIL =
            Pattern.compile("\\s*(%2$s|((%1$s|\"[^\"\\\\\\p{Cntrl}]*\")[ \\t.]*)*<%2$s>)\\s*".formatted(ATOM, ADDRESS));

    private static final String NAME = "[a-zA-Z0-9]([-a-zA-Z0-9]{0,61}[a-zA-Z0-9])?";
    private static final Pattern HOST = Pattern.compile("(?=.{1,255}$)%1$s(\\.%1$s)*".formatted(NAME));
    private static final Pattern UUID =
            Pattern.compile("(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");

    private Formats() {}

    /** Whether the real server, which leaves such a schema's type to the format, takes any list as well as texts. */
    static boolean takesLists(JsonNode schema) {
        return schema.path("type").asText().equals("string")
                && SUPPORTED.contains(schema.path("format").asText().replace("-", ""));
    }

    /** Whether a text is of the format; one that is not judged here has any. */
    static boolean matches(String format, String text) {
        return switch (format) {
            case "byte" -> BYTE.matcher(text).matches();
            case "date" -> isDate(text);
            case "duration" -> DURATION.matcher(text).matches();
            case "email" -> EMAIL.matcher(text).matches();
            case "date-time" -> isDateTime(text.toLowerCase(Locale.ROOT).split("t", -1));
            case "hostname" -> HOST.matcher(text).matches();
            case "ipv4", "ipv6" -> InetAddresses.isInetAddress(text) && text.contains(":") == format.equals("ipv6");
            case "uri" -> isUri(text);
            case "uuid" -> UUID.matcher(text).matches();
            default -> true;
        };
    }

    private static boolean isDateTime(String[] parts) {
        return parts.length > 1 && isDate(parts[0]) && TIME.matcher(parts[1]).matches();
    }

    private static boolean isUri(String text) {
        try {
            return new URI(text).isAbsolute() || text.startsWith("/");
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static boolean isDate(String text) {
        try {
            return text.length() == 10 && LocalDate.parse(text).getYear() >= 0;
        } catch (DateTimeException e) {
            return false;
        }
    }
}
