package io.controllermanager.testing.apiserver.cel;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.runtime.CelEvaluationException;
import io.controllermanager.testing.apiserver.cel.Functions.Kind;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

/** The functions of lists that are Kubernetes' own (apiserver, pkg/cel/library/lists.go). */
@SuppressWarnings({"rawtypes", "unchecked"}) // The compiler of rules knows what is in a list.
final class Lists {

    private static final List<CelType> COMPARABLE = List.of(
            SimpleType.INT,
            SimpleType.UINT,
            SimpleType.DOUBLE,
            SimpleType.BOOL,
            SimpleType.DURATION,
            SimpleType.TIMESTAMP,
            SimpleType.STRING);
    private static final Kind<Boolean> BOOL = new Kind<>(SimpleType.BOOL, Boolean.class);
    private static final Kind<Long> INT = new Kind<>(SimpleType.INT, Long.class);

    private Lists() {}

    static void addTo(Functions functions) {
        for (CelType comparable : COMPARABLE) {
            Kind<Object> element = new Kind<>(comparable, Object.class);
            Kind<List> list = listOf(comparable);
            functions
                    .member("isSorted", BOOL, list, Lists::isSorted)
                    .member("min", element, list, elements -> Collections.min(filled("min", elements)))
                    .member("max", element, list, elements -> Collections.max(filled("max", elements)));
        }
        Kind<Object> any = new Kind<>(TypeParamType.create("T"), Object.class);
        functions
                .member("sum", INT, listOf(SimpleType.INT), Lists::sum)
                .member(
                        "sum",
                        new Kind<>(SimpleType.DOUBLE, Double.class),
                        listOf(SimpleType.DOUBLE),
                        elements -> ((List<Double>) elements).stream().reduce(0.0, Double::sum))
                .member(
                        "sum",
                        new Kind<>(SimpleType.DURATION, Duration.class),
                        listOf(SimpleType.DURATION),
                        elements -> ((List<Duration>) elements).stream().reduce(Duration.ZERO, Duration::plus))
                .member("indexOf", INT, listOf(any.cel()), any, (elements, value) -> index(elements, value, false))
                .member("lastIndexOf", INT, listOf(any.cel()), any, (elements, value) -> index(elements, value, true));
    }

    private static Kind<List> listOf(CelType element) {
        return new Kind<>(ListType.create(element), List.class);
    }

    private static boolean isSorted(List<Comparable> list) {
        for (int i = 1; i < list.size(); i++) {
            if (list.get(i - 1).compareTo(list.get(i)) > 0) {
                return false;
            }
        }
        return true;
    }

    private static List<Comparable> filled(String function, List<Comparable> list) throws CelEvaluationException {
        if (list.isEmpty()) {
            throw new CelEvaluationException(function + " called on empty list");
        }
        return list;
    }

    private static long sum(List<Long> list) throws CelEvaluationException {
        try {
            return list.stream().reduce(0L, Math::addExact);
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
