package io.controllermanager.client.internal.json;

import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import io.kubernetes.client.custom.Quantity;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/**
 * Quantities in the form that the API server gives them (apimachinery's {@code pkg/api/resource/quantity.go}), whatever their
 * size. client-java's own adapter writes none from {@code 1Ei} on and none of more than nine decimals. It also rounds {@code
 * Ei} to sixteen digits when it reads, for whoever makes a quantity as well; that is undone here, so that equal ones stay equal.
 */
public final class QuantityAdapter extends TypeAdapter<Quantity> {

    private static final String DECIMAL_SUFFIXES = "num kMGTPE";
    private static final String BINARY_SUFFIXES = "KMGTPE";
    private static final int SMALLEST_EXPONENT = -9;
    private static final int LARGEST_EXPONENT = 18;
    private static final BigInteger KIBI = BigInteger.valueOf(1_024);
    private static final BigDecimal EXBI = BigDecimal.valueOf(1L << 60);
    private static final BigInteger DIGITS_OF_ROUNDED_EXBI = BigInteger.valueOf(1_152_921_504_606_847L);
    private static final BigDecimal ROUNDED_EXBI = new BigDecimal(DIGITS_OF_ROUNDED_EXBI, -3);
    private static final BigDecimal LARGEST_BINARY = BigDecimal.valueOf(Long.MAX_VALUE);

    @Override
    public Quantity read(JsonReader in) throws IOException {
        return Quantity.fromString(in.nextString());
    }

    @Override
    public void write(JsonWriter out, Quantity quantity) throws IOException {
        out.value(text(quantity));
    }

    /**
     * Whether the API server stores the one as the other: rounded up, and up to 2^63-1 with a binary suffix.
     *
     * @param decimals how many it keeps: nine, or three of what is in a {@code ResourceList}
     * @throws RuntimeException if one is no quantity
     */
    public static boolean areSame(String one, String other, int decimals) {
        return stored(one, decimals).compareTo(stored(other, decimals)) == 0;
    }

    private static BigDecimal stored(String text, int decimals) {
        Quantity quantity = Quantity.fromString(text);
        BigDecimal number = exact(quantity);
        BigDecimal rounded = number.scale() > decimals ? number.setScale(decimals, RoundingMode.UP) : number;
        return quantity.getFormat() == Quantity.Format.BINARY_SI ? rounded.min(LARGEST_BINARY) : rounded;
    }

    private static BigDecimal exact(Quantity quantity) {
        BigDecimal number = quantity.getNumber();
        boolean ofRoundedExbi = quantity.getFormat() == Quantity.Format.BINARY_SI
                && number.unscaledValue().mod(DIGITS_OF_ROUNDED_EXBI).signum() == 0;
        return ofRoundedExbi ? number.divide(ROUNDED_EXBI).multiply(EXBI) : number;
    }

    private static String text(Quantity quantity) {
        BigDecimal number = exact(quantity).stripTrailingZeros();
        if (number.signum() == 0) {
            return "0";
        }
        return quantity.getFormat() == Quantity.Format.BINARY_SI && number.scale() <= 0
                ? binary(number.toBigInteger())
                : decimal(number, quantity.getFormat() == Quantity.Format.DECIMAL_EXPONENT);
    }

    private static String binary(BigInteger number) {
        BigInteger left = number;
        int times = 0;
        while (times < BINARY_SUFFIXES.length() && left.mod(KIBI).signum() == 0) {
            left = left.divide(KIBI);
            times++;
        }
        return left + (times == 0 ? "" : BINARY_SUFFIXES.charAt(times - 1) + "i");
    }

    private static String decimal(BigDecimal number, boolean asExponent) {
        int exponent = Math.floorDiv(-number.scale(), 3) * 3;
        String digits = number.scaleByPowerOfTen(-exponent).toBigInteger().toString();
        if (exponent == 0) {
            return digits;
        }
        return asExponent || exponent < SMALLEST_EXPONENT || exponent > LARGEST_EXPONENT
                ? digits + "e" + exponent
                : digits + DECIMAL_SUFFIXES.charAt((exponent - SMALLEST_EXPONENT) / 3);
    }
}
