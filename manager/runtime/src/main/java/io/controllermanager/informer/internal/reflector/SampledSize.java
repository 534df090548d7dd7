package io.controllermanager.informer.internal.reflector;

import io.controllermanager.client.internal.json.ApiJson;
import java.util.Collection;
import java.util.SplittableRandom;

/**
 * How many bytes of JSON an object takes on average, as objects are stored: from each of the first {@value #ALL_OF_FIRST},
 * and then from one in {@value #INTERVAL}, at random distances so that no order of large and small ones deceives it.
 * Written by one thread, read by any.
 */
public final class SampledSize {

    private static final int ALL_OF_FIRST = 128;

    private static final int INTERVAL = 64;

    /** So many objects say enough; what is older counts half from then on. */
    private static final int MANY = 65_536;

    private final SplittableRandom distances = new SplittableRandom(1);
    private long seen;
    private long untilNext;
    private volatile Measured measured = new Measured(0, 0);

    /**
     * What has been measured.
     *
     * @param bytes of all objects that the samples stand for
     * @param objects how many these are
     */
    private record Measured(double bytes, double objects) {}

    public void add(Object stored) {
        seen++;
        int standsFor = seen <= ALL_OF_FIRST ? 1 : INTERVAL;
        if (standsFor > 1 && --untilNext > 0) {
            return;
        }
        untilNext = distances.nextLong(1, 2 * INTERVAL);
        double bytes;
        try {
            bytes = ApiJson.write(stored).length;
        } catch (RuntimeException e) {
            // A class that Gson reads and does not write: its size stays unknown.
            return;
        }
        Measured before = measured;
        double kept = before.objects >= MANY ? 0.5 : 1;
        measured = new Measured(before.bytes * kept + bytes * standsFor, before.objects * kept + standsFor);
    }

    /** The average of all, zero if nothing has been measured. */
    public static double average(Collection<SampledSize> sizes) {
        double bytes = 0;
        double objects = 0;
        for (SampledSize size : sizes) {
            Measured measured = size.measured;
            bytes += measured.bytes;
            objects += measured.objects;
        }
        return objects == 0 ? 0 : bytes / objects;
    }
}
