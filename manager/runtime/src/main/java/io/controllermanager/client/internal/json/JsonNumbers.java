package io.controllermanager.client.internal.json;

import com.google.gson.stream.JsonReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Numbers as the API server carries them ({@code sigs.k8s.io/json}): what is written as a whole number and fits 64 bits is
 * kept to the digit, any other is a double.
 */
public final class JsonNumbers {

    private JsonNumbers() {}

    /**
     * Reads a number for a field that takes any value: a {@link Long}, or a {@link BigInteger} where that is too small; with a
     * fraction or an exponent a {@link Double}, or a {@link BigDecimal} where that is too small.
     */
    static Number read(JsonReader in) throws IOException {
        String text = in.nextString();
        if (isWhole(text)) {
            BigInteger whole = new BigInteger(text);
            return whole.bitLength() < Long.SIZE ? (Number) whole.longValue() : whole;
        }
        Double number = Double.valueOf(text);
        return number.isInfinite() ? new BigDecimal(text) : number;
    }

    /** Whether the API server takes the one for the other. */
    public static boolean areSame(String one, String other) {
        return (isLong(one) && isLong(other))
                ? Long.parseLong(one) == Long.parseLong(other)
                : Double.parseDouble(one) == Double.parseDouble(other);
    }

    private static boolean isLong(String text) {
        return isWhole(text) && new BigInteger(text).bitLength() < Long.SIZE;
    }

    private static boolean isWhole(String text) {
        return text.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
    }
}
