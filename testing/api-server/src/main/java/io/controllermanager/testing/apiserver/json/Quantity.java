package io.controllermanager.testing.apiserver.json;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An amount such as {@code 1.5Gi} (apimachinery, pkg/api/resource/quantity.go). Two are equal that are the same number.
 *
 * @param small whether Go keeps it as an int64 with an exponent, the number's unscaled value and negated scale; only of those
 *     it says that they are integers
 */
public record Quantity(BigDecimal number, boolean small) {

    private static final Pattern TEXT = Pattern.compile("([+-]?)0*(\\d*)(?:\\.(\\d*))?([eEinumkKMGTP]*[+-]?\\d*)");
    private static final Pattern EXPONENT = Pattern.compile("[eE]([+-]?\\d{1,9})");
    private static final Map<String, Integer> POWERS_OF_TEN =
            Map.of("n", -9, "u", -6, "m", -3, "", 0, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);
    private static final Map<String, Integer> POWERS_OF_TWO =
            Map.of("Ki", 10, "Mi", 20, "Gi", 30, "Ti", 40, "Pi", 50, "Ei", 60);
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final int SMALLEST = 9;

    /**
     * Reads one.
     *
     * @throws NumberFormatException with Go's words for what is none
     */
    public static Quantity parse(String text) {
        Matcher parts = TEXT.matcher(text);
        if (text.isEmpty() || !parts.matches()) {
            throw new NumberFormatException(
                    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
        String whole = parts.group(2).isEmpty() ? "0" : parts.group(2);
        String fraction = parts.group(3) == null ? "" : parts.group(3);
        String suffix = parts.group(4);
        BigInteger digits = new BigInteger(whole + fraction);
        if (parts.group(1).equals("-")) {
            digits = digits.negate();
        }
        Integer two = POWERS_OF_TWO.get(suffix);
        if (two == null) {
            BigDecimal number = new BigDecimal(digits, fraction.length() - powerOfTen(suffix));
            boolean small = whole.length() + fraction.length() <= 18 && number.scale() <= SMALLEST;
            return small ? new Quantity(number, true) : large(number);
        }
        BigDecimal number = new BigDecimal(digits.shiftLeft(two), fraction.length());
        boolean small = fraction.isEmpty() && whole.length() + two * 3 / 10 + 1 <= 15;
        return small ? new Quantity(number, true) : large(number.min(MOST).max(MOST.negate()));
    }

    private static int powerOfTen(String suffix) {
        Integer power = POWERS_OF_TEN.get(suffix);
        if (power != null) {
            return power;
        }
        Matcher exponent = EXPONENT.matcher(suffix);
        if (!exponent.matches()) {
            throw new NumberFormatException("unable to parse quantity's suffix");
        }
        return Integer.parseInt(exponent.group(1));
    }

    private static Quantity large(BigDecimal number) {
        return new Quantity(number.scale() > SMALLEST ? number.setScale(SMALLEST, RoundingMode.UP) : number, false);
    }

    public static Quantity of(long number) {
        return new Quantity(BigDecimal.valueOf(number), true);
    }

    public Quantity plus(Quantity other) {
        if (number.signum() == 0 || other.number.signum() == 0) {
            return number.signum() == 0 ? other : this;
        }
        BigDecimal sum = number.add(other.number);
        return new Quantity(sum, small && other.small && sum.unscaledValue().bitLength() < Long.SIZE);
    }

    public Quantity negate() {
        return new Quantity(number.negate(), small);
    }

    /** Whether this is an integer that an int64 holds, and is kept as one. */
    public boolean isInteger() {
        return small
                && number.scale() <= 0
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
