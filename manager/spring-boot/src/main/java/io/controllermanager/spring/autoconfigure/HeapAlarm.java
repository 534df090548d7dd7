package io.controllermanager.spring.autoconfigure;

import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.OncePerInterval;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.time.Duration;
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
 * Says what informers hold when a garbage collection leaves the old generation nearly full, where objects are that live
 * long: once the heap is full, nothing can be said any more. The JVM tells it on a thread of its own after each collection
 * that leaves so much; one line a minute says so.
 */
final class HeapAlarm implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HeapAlarm.class);

    /** How much of the old generation is in use then, from 0 to 1. */
    static final double NEARLY_FULL = 0.85;

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    /** So many of the types that take the most room are named. */
    private static final int MOST_TYPES = 5;

    private final Supplier<List<InformerStatus>> informers;
    private final double share;

    private final OncePerInterval mayBeSaid;

    /** Known by its identity when it is taken back. */
    private final NotificationListener listener = this::told;

    /**
     * Is told nothing yet.
     *
     * @param informers how those are that hold objects
     * @param share of the old generation that has to be in use, from 0 to 1
     */
    HeapAlarm(Supplier<List<InformerStatus>> informers, double share, Clock clock) {
        this.informers = informers;
        this.share = share;
        this.mayBeSaid = new OncePerInterval(clock, INTERVAL);
    }

    /** Begins to listen. A limit that somebody else has set for the whole JVM stays. */
    void start() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            // Of the heap's pools, the one where objects stay is the one that has both limits.
            if (pool.getType() == MemoryType.HEAP
                    && pool.isUsageThresholdSupported()
                    && pool.isCollectionUsageThresholdSupported()
                    && pool.getCollectionUsageThreshold() == 0
                    && pool.getUsage().getMax() > 0) {
                // Zero would switch it off.
                pool.setCollectionUsageThreshold(
                        Math.max(1, (long) (pool.getUsage().getMax() * share)));
            }
        }
        emitter().addNotificationListener(listener, null, null);
    }

    private void told(Notification notification, Object handback) {
        if (!notification.getType().equals(MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED)) {
            return;
        }
        MemoryNotificationInfo info = MemoryNotificationInfo.from((CompositeData) notification.getUserData());
        MemoryUsage usage = info.getUsage();
        // Others may have set lower limits, on other pools too.
        boolean nearlyFull = usage.getMax() > 0 && usage.getUsed() >= usage.getMax() * share;
        if (nearlyFull && mayBeSaid.isDue()) {
            log.atWarn()
                    .log(inWords(info.getPoolName(), usage, Runtime.getRuntime().maxMemory(), informers.get()));
        }
    }

    /** The line for the log. */
    static String inWords(String pool, MemoryUsage usage, long heapLimit, List<InformerStatus> informers) {
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
        return "The heap is nearly full: %s of the %s for objects that live long (%s) are in use after a garbage "
                        .formatted(mebibytes(usage.getUsed()), mebibytes(usage.getMax()), pool)
                + "collection, and the heap may grow to %s; ".formatted(mebibytes(heapLimit))
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
