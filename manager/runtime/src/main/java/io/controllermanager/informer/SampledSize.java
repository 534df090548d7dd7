package io.controllermanager.informer;

import io.controllermanager.client.ApiJson;

/**
 * How many bytes of JSON an object takes on average, from one in {@value #INTERVAL} objects as they are stored. Written by
 * one thread, read by any.
 */
final class SampledSize {

    private static final int INTERVAL = 64;

    /** So many samples say enough; what is older counts half from then on. */
    private static final int MANY = 1_024;

    private long seen;
    private long bytes;
    private long samples;
    private volatile double average;

    void add(Object stored) {
        if (seen++ % INTERVAL != 0) {
            return;
        }
        try {
            bytes += ApiJson.write(stored).length;
        } catch (RuntimeException e) {
            // A class that Gson reads and does not write: its size stays unknown.
            return;
        }
        samples++;
        average = (double) bytes / samples;
        if (samples >= MANY) {
            bytes /= 2;
            samples /= 2;
        }
    }

    double average() {
        return average;
    }
}
