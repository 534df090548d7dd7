package io.controllermanager.crd;

import io.controllermanager.types.Format;
import jakarta.validation.Constraint;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Negative;
import jakarta.validation.constraints.NegativeOrZero;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;
import java.lang.annotation.Annotation;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** What jakarta.validation's constraints, and {@code @Format}, are in a schema. Of several limits the narrowest holds. */
final class Constraints {

    private static final Set<Class<?>> DEMAND_A_VALUE = Set.of(NotNull.class, NotEmpty.class, NotBlank.class);

    /** Those of strings that the API server judges (apiextensions-apiserver, pkg/apiserver/validation/formats.go). */
    private static final Set<String> FORMATS = Set.of(
            "bsonobjectid",
            "uri",
            "email",
            "hostname",
            "ipv4",
            "ipv6",
            "cidr",
            "mac",
            "uuid",
            "uuid3",
            "uuid4",
            "uuid5",
            "isbn",
            "isbn10",
            "isbn13",
            "creditcard",
            "ssn",
            "hexcolor",
            "rgbcolor",
            "byte",
            "password",
            "date",
            "duration",
            "date-time");

    private final Map<String, Object> schema;
    private final Place place;

    Constraints(Map<String, Object> schema, Place place) {
        this.schema = schema;
        this.place = place;
    }

    /** Whether a constraint refuses null. */
    static boolean demandsAValue(Annotation annotation) {
        return DEMAND_A_VALUE.contains(annotation.annotationType())
                || (annotation.annotationType().getSimpleName().equals("JsonProperty")
                        && Boolean.TRUE.equals(Annotations.given(annotation).get("required")));
    }

    /**
     * Adds a constraint to the schema; annotations that are none are left alone.
     *
     * @throws InvalidTypeException if a schema cannot say it
     */
    void add(Annotation annotation) {
        if (annotation instanceof Min min) {
            atLeast(min, BigDecimal.valueOf(min.value()), true);
        } else if (annotation instanceof Max max) {
            atMost(max, BigDecimal.valueOf(max.value()), true);
        } else if (annotation instanceof DecimalMin min) {
            atLeast(min, decimal(min, min.value()), min.inclusive());
        } else if (annotation instanceof DecimalMax max) {
            atMost(max, decimal(max, max.value()), max.inclusive());
        } else if (annotation instanceof Positive) {
            atLeast(annotation, BigDecimal.ZERO, false);
        } else if (annotation instanceof PositiveOrZero) {
            atLeast(annotation, BigDecimal.ZERO, true);
        } else if (annotation instanceof Negative) {
            atMost(annotation, BigDecimal.ZERO, false);
        } else if (annotation instanceof NegativeOrZero) {
            atMost(annotation, BigDecimal.ZERO, true);
        } else if (annotation instanceof Size size) {
            size(size);
        } else if (annotation instanceof NotEmpty) {
            atLeast("min" + counted(annotation), 1);
        } else if (annotation instanceof NotBlank) {
            text(annotation);
            atLeast("minLength", 1);
            addPattern("\\S");
        } else if (annotation instanceof Pattern pattern) {
            text(pattern);
            addPattern(whole(pattern));
        } else if (annotation instanceof Email email) {
            text(email);
            if (!email.regexp().equals(".*") || email.flags().length > 0) {
                throw place.invalid("@Email with a regexp: say it with @Pattern");
            }
            schema.put("format", "email");
        } else if (annotation instanceof Format format) {
            text(format);
            format(format);
        } else if (annotation.annotationType().isAnnotationPresent(Constraint.class) && !demandsAValue(annotation)) {
            throw refused(annotation, "a CRD's schema cannot say it; say it with @ValidationRule");
        }
    }

    private void format(Format format) {
        if (!FORMATS.contains(format.value())) {
            throw refused(format, "\"" + format.value() + "\" is none of " + new TreeSet<>(FORMATS));
        }
        Object other = schema.put("format", format.value());
        if (other != null && !other.equals(format.value())) {
            throw refused(format, "the format is " + other);
        }
    }

    private void size(Size size) {
        String counted = counted(size);
        if (size.min() < 0 || size.min() > size.max()) {
            throw place.invalid("@Size with min " + size.min() + " and max " + size.max());
        }
        if (size.min() > 0) {
            atLeast("min" + counted, size.min());
        }
        if (size.max() < Integer.MAX_VALUE) {
            String keyword = "max" + counted;
            schema.merge(keyword, size.max(), (had, now) -> Math.min((Integer) had, (Integer) now));
        }
    }

    private void atLeast(String keyword, int value) {
        schema.merge(keyword, value, (had, now) -> Math.max((Integer) had, (Integer) now));
    }

    /** What is counted: characters, items or members. */
    private String counted(Annotation annotation) {
        return switch (Schema.typeOf(schema)) {
            case "string" -> {
                text(annotation);
                yield "Length";
            }
            case "array" -> "Items";
            case "object" -> {
                if (!schema.containsKey("additionalProperties")) {
                    throw refused(annotation, "is for strings, lists and maps");
                }
                yield "Properties";
            }
            default -> throw refused(annotation, "is for strings, lists and maps");
        };
    }

    private void atLeast(Annotation annotation, BigDecimal value, boolean inclusive) {
        boolean next = isInteger(annotation) && !inclusive && isWhole(value);
        narrow("minimum", "exclusiveMinimum", next ? value.add(BigDecimal.ONE) : value, !inclusive && !next, 1);
    }

    private void atMost(Annotation annotation, BigDecimal value, boolean inclusive) {
        boolean next = isInteger(annotation) && !inclusive && isWhole(value);
        narrow("maximum", "exclusiveMaximum", next ? value.subtract(BigDecimal.ONE) : value, !inclusive && !next, -1);
    }

    private static boolean isWhole(BigDecimal value) {
        return value.stripTrailingZeros().scale() <= 0;
    }

    private void narrow(String keyword, String exclusiveKeyword, BigDecimal limit, boolean exclusive, int direction) {
        int compared = schema.get(keyword) instanceof Number had
                ? limit.compareTo(new BigDecimal(had.toString())) * direction
                : 1;
        if (compared > 0) {
            schema.put(keyword, Schema.number(limit));
            schema.remove(exclusiveKeyword);
        }
        if (compared >= 0 && exclusive) {
            schema.put(exclusiveKeyword, true);
        }
    }

    private boolean isInteger(Annotation annotation) {
        return switch (Schema.typeOf(schema)) {
            case "integer" -> true;
            case "number" -> false;
            default -> throw refused(annotation, "is for numbers");
        };
    }

    private void text(Annotation annotation) {
        if (!Schema.typeOf(schema).equals("string") || "byte".equals(schema.get("format"))) {
            throw refused(annotation, "is for strings");
        }
    }

    private BigDecimal decimal(Annotation annotation, String value) {
        try {
            return new BigDecimal(value);
        } catch (NumberFormatException e) {
            throw refused(annotation, "\"" + value + "\" is no number");
        }
    }

    /** A schema has one pattern; those after the first are demanded beside it. */
    private void addPattern(String pattern) {
        if (schema.putIfAbsent("pattern", pattern) != null) {
            Schema.add(schema, "allOf", Schema.of("pattern", pattern));
        }
    }

    private String whole(Pattern pattern) {
        StringBuilder flags = new StringBuilder();
        for (Pattern.Flag flag : pattern.flags()) {
            flags.append(
                    switch (flag) {
                        case CASE_INSENSITIVE -> "i";
                        case DOTALL -> "s";
                        default -> throw refused(pattern, "the flag " + flag + " is none of the API server's");
                    });
        }
        String whole = Patterns.whole(pattern.regexp(), place);
        return flags.isEmpty() ? whole : "(?" + flags + ")" + whole;
    }

    private InvalidTypeException refused(Annotation annotation, String why) {
        String type = Schema.typeOf(schema);
        return place.invalid("@" + annotation.annotationType().getSimpleName() + " on "
                + (type.isEmpty() ? "a value of any type" : type) + ": " + why);
    }
}
