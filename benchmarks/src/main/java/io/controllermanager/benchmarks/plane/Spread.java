package io.controllermanager.benchmarks.plane;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * How far figures of several runs lie apart.
 *
 * @param median the one in the middle
 * @param least the smallest
 * @param most the largest
 */
public record Spread(double median, double least, double most) {

    /** Of one figure of each run. */
    public static <T> Spread of(List<T> runs, ToDoubleFunction<T> figure) {
        double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        return new Spread(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1]);
    }

    /** As {@code median (least to most)}, each in a format such as {@code %.2f}. */
    public String text(String format) {
        return String.format(Locale.ROOT, format + " (" + format + " to " + format + ")", median, least, most);
    }
}
