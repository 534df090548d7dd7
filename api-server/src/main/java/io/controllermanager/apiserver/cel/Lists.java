package io.controllermanager.apiserver.cel;

import static dev.cel.common.types.SimpleType.DURATION;
import static dev.cel.common.types.SimpleType.TIMESTAMP;
import static dev.cel.common.types.SimpleType.UINT;
import static io.controllermanager.apiserver.cel.Functions.BOOL;
import static io.controllermanager.apiserver.cel.Functions.DOUBLE;
import static io.controllermanager.apiserver.cel.Functions.INT;
import static io.controllermanager.apiserver.cel.Functions.STRING;

import com.google.common.collect.Ordering;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.TypeParamType;
import dev.cel.runtime.CelEvaluationException;
import io.controllermanager.apiserver.cel.Functions.Kind;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;

/** The functions of lists that are Kubernetes' own (apiserver, pkg/cel/library/lists.go). */
@SuppressWarnings({"rawtypes", "unchecked"}) // The compiler of rules knows what is in a list.
final class Lists {

    private static final List<CelType> COMPARABLE =
            List.of(INT.cel(), UINT, DOUBLE.cel(), BOOL.cel(), DURATION, TIMESTAMP, STRING.cel());

    private Lists() {}

    static void addTo(Functions functions) {
        for (CelType comparable : COMPARABLE) {
            Kind<Object> element = new Kind<>(comparable, Object.class);
            Kind<List> list = listOf(comparable);
            functions
                    .member(
                            "isSorted",
                            BOOL,
                            list,
                            elements -> Ordering.natural().isOrdered((List<Comparable>) elements))
                    .member("min", element, list, elements -> Collections.min(filled("min", elements)))
                    .member("max", element, list, elements -> Collections.max(filled("max", elements)));
        }
        Kind<Duration> duration = new Kind<>(DURATION, Duration.class);
        Kind<Object> any = new Kind<>(TypeParamType.create("T"), Object.class);
        functions
                .member("sum", INT, listOf(INT.cel()), elements -> sum(elements, 0L, Math::addExact))
                .member("sum", DOUBLE, listOf(DOUBLE.cel()), elements -> sum(elements, 0.0, Double::sum))
                .member("sum", duration, listOf(DURATION), elements -> sum(elements, Duration.ZERO, Duration::plus))
                .member("indexOf", INT, listOf(any.cel()), any, (elements, value) -> index(elements, value, false))
                .member("lastIndexOf", INT, listOf(any.cel()), any, (elements, value) -> index(elements, value, true));
    }

    private static Kind<List> listOf(CelType element) {
        return new Kind<>(ListType.create(element), List.class);
    }

    private static List<Comparable> filled(String function, List<Comparable> list) throws CelEvaluationException {
        if (list.isEmpty()) {
            throw new CelEvaluationException(function + " called on empty list");
        }
        return list;
    }

    private static <T> T sum(List<T> list, T nothing, BinaryOperator<T> plus) throws CelEvaluationException {
        try {
            return list.stream().reduce(nothing, plus);
        } catch (ArithmeticException e) {
            throw new CelEvaluationException("integer overflow", e);
        }
    }

    private static long index(List<?> list, Object value, boolean last) {
        long found = -1;
        for (int i = 0; i < list.size() && (last || found < 0); i++) {
            found = Values.equal(list.get(i), value) ? i : found;
        }
        return found;
    }
}
