package io.controllermanager.apiserver.cel;

import static io.controllermanager.apiserver.cel.Functions.BOOL;
import static io.controllermanager.apiserver.cel.Functions.DOUBLE;
import static io.controllermanager.apiserver.cel.Functions.INT;
import static io.controllermanager.apiserver.cel.Functions.STRING;

import dev.cel.common.types.OpaqueType;
import dev.cel.runtime.CelEvaluationException;
import io.controllermanager.apiserver.cel.Functions.Kind;
import io.controllermanager.apiserver.json.Quantity;

/** The functions about amounts of resources (apiserver, pkg/cel/library/quantity.go). */
final class Quantities {

    private static final Kind<Quantity> QUANTITY = new Kind<>(OpaqueType.create("kubernetes.Quantity"), Quantity.class);

    private Quantities() {}

    static void addTo(Functions functions) {
        functions
                .global("isQuantity", BOOL, STRING, text -> Quantity.wrong(text).isEmpty())
                .global("quantity", QUANTITY, STRING, Quantities::quantity)
                .global("sign", INT, QUANTITY, quantity ->
                        (long) quantity.number().signum())
                .member("isInteger", BOOL, QUANTITY, Quantity::isInteger)
                .member("asInteger", INT, QUANTITY, Quantities::asInteger)
                .member("asApproximateFloat", DOUBLE, QUANTITY, Quantities::asApproximateFloat)
                .member("add", QUANTITY, QUANTITY, QUANTITY, Quantity::plus)
                .member("add", QUANTITY, QUANTITY, INT, (a, b) -> a.plus(Quantity.of(b)))
                .member("sub", QUANTITY, QUANTITY, QUANTITY, Quantity::minus)
                .member("sub", QUANTITY, QUANTITY, INT, (a, b) -> a.minus(Quantity.of(b)))
                .member("compareTo", INT, QUANTITY, QUANTITY, (a, b) -> (long) compare(a, b))
                .member("isGreaterThan", BOOL, QUANTITY, QUANTITY, (a, b) -> compare(a, b) > 0)
                .member("isLessThan", BOOL, QUANTITY, QUANTITY, (a, b) -> compare(a, b) < 0);
    }

    private static int compare(Quantity one, Quantity other) {
        return one.number().compareTo(other.number());
    }

    private static Quantity quantity(String text) throws CelEvaluationException {
        try {
            return Quantity.parse(text);
        } catch (NumberFormatException e) {
            throw new CelEvaluationException(String.valueOf(e.getMessage()), e);
        }
    }

    private static long asInteger(Quantity quantity) throws CelEvaluationException {
        if (!quantity.isInteger()) {
            throw new CelEvaluationException("cannot convert value to integer");
        }
        return quantity.number().longValueExact();
    }

    /** As Go reckons it: digits times a power of ten, each as near as a float64 is. */
    private static double asApproximateFloat(Quantity quantity) {
        return quantity.number().unscaledValue().doubleValue()
                * Double.parseDouble("1e" + -quantity.number().scale());
    }
}
