package io.controllermanager.apiserver.json;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An amount such as {@code 1.5Gi} (apimachinery, pkg/api/resource/quantity.go). Two are equal that are the same number. */
public record Quantity(BigDecimal number) {

    private static final Pattern TEXT = Pattern.compile("([+-]?)(\\d*)(?:\\.(\\d*))?([eEinumkKMGTP]*[+-]?\\d*)");
    private static final Pattern EXPONENT = Pattern.compile("[eE]([+-]?\\d{1,9})");
    private static final List<String> THOUSANDS = List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");
    private static final List<String> KIBI = List.of("Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal KIBIBYTE = BigDecimal.valueOf(1024);
    private static final int SMALLEST = 9;

    /** Reads one; throws a NumberFormatException with Go's words for what is none. */
    public static Quantity parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (text.isEmpty() || !parts.matches()) {
            throw new NumberFormatException(
                    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
        String fraction = Objects.requireNonNullElse(parts.group(3), "");
        BigInteger digits = new BigInteger(parts.group(1) + "0" + parts.group(2) + fraction);
        String suffix = parts.group(4);
        int kibi = KIBI.indexOf(suffix);
        BigDecimal number = kibi < 0
                ? new BigDecimal(digits, fraction.length()).scaleByPowerOfTen(powerOfTen(suffix))
                : new BigDecimal(digits.shiftLeft(10 * (kibi + 1)), fraction.length())
                        .min(MOST)
                        .max(MOST.negate());
        return new Quantity(number.scale() > SMALLEST ? number.setScale(SMALLEST, RoundingMode.UP) : number);
    }

    /** What is wrong with a text that should be one, in Go's words; empty if nothing is. */
    public static String wrong(String text) {
        try {
            parse(text);
            return "";
        } catch (NumberFormatException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * The form in which Go writes one: an integer with the largest suffix of the kind that the text has (CanonicalizeBytes).
     *
     * @param text without spaces around it
     * @param places after the decimal point, to which it is rounded up
     */
    public static String canonical(String text, int places) {
        BigDecimal number = parse(text).number;
        number = (number.scale() > places ? number.setScale(places, RoundingMode.UP) : number).stripTrailingZeros();
        String suffix = text.replaceFirst("[^eEinumkKMGTP]*", "");
        if (number.signum() == 0) {
            return "0";
        } else if (suffix.endsWith("i") && number.scale() <= 0 && number.abs().compareTo(KIBIBYTE) >= 0) {
            BigInteger integer = number.toBigInteger();
            int kibi = Math.min(integer.getLowestSetBit() / 10, KIBI.size());
            return integer.shiftRight(10 * kibi) + (kibi == 0 ? "" : KIBI.get(kibi - 1));
        }
        boolean isPower = EXPONENT.matcher(suffix).matches();
        int thousands = Math.min(Math.floorDiv(-number.scale(), 3), isPower ? Integer.MAX_VALUE : 6);
        String power = isPower && thousands != 0 ? "e" + 3 * thousands : THOUSANDS.get(thousands + 3);
        return number.scaleByPowerOfTen(-3 * thousands).toBigInteger() + power;
    }

    private static int powerOfTen(String suffix) {
        Matcher exponent = EXPONENT.matcher(suffix);
        if (exponent.matches()) {
            return Integer.parseInt(exponent.group(1));
        } else if (!THOUSANDS.contains(suffix)) {
            throw new NumberFormatException("unable to parse quantity's suffix");
        }
        return 3 * (THOUSANDS.indexOf(suffix) - THOUSANDS.indexOf(""));
    }

    /** An amount in JSON; 0 for what is missing. */
    public static Quantity of(JsonNode amount) {
        return parse(amount.asText("0"));
    }

    public static Quantity of(long number) {
        return new Quantity(BigDecimal.valueOf(number));
    }

    public Quantity plus(Quantity other) {
        return number.signum() == 0 ? other : new Quantity(number.add(other.number));
    }

    public Quantity minus(Quantity other) {
        return plus(new Quantity(other.number.negate()));
    }

    /** Whether this is an integer that an int64 holds, and is written as one: 1.0 is not. */
    public boolean isInteger() {
        return number.scale() <= 0
                && number.precision() - number.scale() <= 19
                && number.toBigInteger().bitLength() < Long.SIZE;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Quantity quantity && number.compareTo(quantity.number) == 0;
    }

    @Override
    public int hashCode() {
        return number.stripTrailingZeros().hashCode();
    }
}
