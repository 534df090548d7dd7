package io.controllermanager.spring.autoconfigure;

import io.controllermanager.informer.InformerStatus;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import javax.management.openmbean.CompositeData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what informers hold when a garbage collection leaves the heap nearly full: once it is full, nothing can be said any
 * more. The JVM tells it on a thread of its own, once for each time that the heap becomes nearly full.
 */
final class HeapAlarm implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HeapAlarm.class);

    /** How much of the old generation is in use then. */
    static final double NEARLY_FULL = 0.85;

    /** So many of the types that take the most room are named. */
    private static final int MOST_TYPES = 5;

    private final Supplier<List<InformerStatus>> informers;

    /** Known by its identity when it is taken back. */
    private final NotificationListener listener = this::told;

    /**
     * Is told nothing yet.
     *
     * @param informers how those are that hold objects
     */
    HeapAlarm(Supplier<List<InformerStatus>> informers) {
        this.informers = informers;
    }

    /**
     * Begins to listen.
     *
     * @param share of the old generation that has to be in use, from 0 to 1; a limit that somebody else has set stays
     */
    void start(double share) {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            long max = pool.getUsage().getMax();
            // Of the heap's pools, the one where objects stay is the one that has both limits.
            if (pool.getType() == MemoryType.HEAP
                    && pool.isUsageThresholdSupported()
                    && pool.isCollectionUsageThresholdSupported()
                    && pool.getCollectionUsageThreshold() == 0
                    && max > 0) {
                pool.setCollectionUsageThreshold((long) (max * share));
            }
        }
        emitter().addNotificationListener(listener, null, null);
    }

    private void told(Notification notification, Object handback) {
        if (notification.getType().equals(MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED)) {
            MemoryNotificationInfo info = MemoryNotificationInfo.from((CompositeData) notification.getUserData());
            log.atWarn().log(inWords(info.getPoolName(), info.getUsage(), informers.get()));
        }
    }

    /** The line for the log. */
    static String inWords(String pool, MemoryUsage usage, List<InformerStatus> informers) {
        long objects = informers.stream().mapToLong(InformerStatus::objects).sum();
        long bytes =
                informers.stream().mapToLong(InformerStatus::approximateBytes).sum();
        String largest = informers.stream()
                .filter(informer -> informer.objects() > 0)
                .sorted(Comparator.comparingLong(InformerStatus::approximateBytes)
                        .reversed())
                .limit(MOST_TYPES)
                .map(informer -> "%s %d objects, %s"
                        .formatted(informer.resource(), informer.objects(), mebibytes(informer.approximateBytes())))
                .collect(Collectors.joining("; "));
        return "The heap is nearly full: %s of the %s of %s are in use after a garbage collection; "
                        .formatted(mebibytes(usage.getUsed()), mebibytes(usage.getMax()), pool)
                + "informers hold %d objects, as JSON about %s".formatted(objects, mebibytes(bytes))
                + (largest.isEmpty() ? "" : " (" + largest + ")");
    }

    private static String mebibytes(long bytes) {
        return Math.round(bytes / (double) (1 << 20)) + " MiB";
    }

    private static NotificationEmitter emitter() {
        return (NotificationEmitter) ManagementFactory.getMemoryMXBean();
    }

    @Override
    public void close() {
        try {
            emitter().removeNotificationListener(listener);
        } catch (ListenerNotFoundException e) {
            // It was never started.
        }
    }
}
