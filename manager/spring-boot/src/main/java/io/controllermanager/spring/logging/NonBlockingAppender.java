package io.controllermanager.spring.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.event.KeyValuePair;

/**
 * Hands log lines to another appender on a thread of its own. Who logs never waits: a pipe that nobody reads blocks that
 * thread alone. Lines that find no room are dropped and counted, those at INFO and below first, and once there is room
 * again one line says how many they were. A line has the MDC of the moment it was logged.
 *
 * <p>Logback's {@code AsyncAppender} does the same but does not count, and when a stop takes too long it says so on
 * standard error, which may be the same pipe.
 */
final class NonBlockingAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

    /** How many lines may wait. With stack traces that is some 10 MB, which a small heap can bear. */
    static final int CAPACITY = 1024;

    /** The places among them that are kept for warnings and errors: a fifth, as Logback's {@code AsyncAppender} keeps. */
    static final int RESERVED = CAPACITY / 5;

    private final Appender<ILoggingEvent> target;
    private final Duration flushLimit;
    private final BlockingQueue<ILoggingEvent> lines = new ArrayBlockingQueue<>(CAPACITY);
    private final AtomicLong dropped = new AtomicLong();
    private final Thread writer;
    private volatile boolean stopping;

    /** Used by the writer alone. */
    private long reported;

    /**
     * Takes the target's name and context.
     *
     * @param target has been started; is stopped once this has been stopped and the last line is written
     * @param flushLimit how long {@link #stop} waits for lines that are still to be written
     */
    NonBlockingAppender(Appender<ILoggingEvent> target, Duration flushLimit) {
        this.target = target;
        this.flushLimit = flushLimit;
        setName(target.getName());
        setContext(target.getContext());
        this.writer = new Thread(this::writeAll, "log-writer-" + target.getName());
        this.writer.setDaemon(true);
    }

    /** How many lines have been dropped so far. */
    long dropped() {
        return dropped.get();
    }

    @Override
    public void start() {
        super.start();
        writer.start();
    }

    /** Returns when what was logged before is written, or at the limit. */
    @Override
    public void stop() {
        stopping = true;
        writer.interrupt();
        try {
            writer.join(flushLimit.toMillis());
        } catch (InterruptedException e) {
            // In a hurry.
            Thread.currentThread().interrupt();
        }
        // Not before: Logback complains on standard error of lines for an appender that is not started.
        super.stop();
    }

    @Override
    protected void append(ILoggingEvent line) {
        boolean expendable = line.getLevel().toInt() <= Level.INFO_INT;
        if (expendable && lines.remainingCapacity() <= RESERVED) {
            dropped.incrementAndGet();
            return;
        }
        line.prepareForDeferredProcessing();
        if (!lines.offer(line)) {
            dropped.incrementAndGet();
        }
    }

    private void writeAll() {
        while (!stopping || !lines.isEmpty()) {
            try {
                write(lines.take());
            } catch (InterruptedException stopped) {
                // The loop's condition says what is left to do.
            } catch (RuntimeException | Error e) {
                // This line is lost. Those after it need not be.
                dropped.incrementAndGet();
            }
        }
        target.stop();
    }

    private void write(ILoggingEvent line) {
        target.doAppend(line);
        long lost = dropped.get() - reported;
        if (lost > 0 && lines.isEmpty()) {
            reported += lost;
            target.doAppend(report(lost));
        }
    }

    private ILoggingEvent report(long lost) {
        Logger logger = ((LoggerContext) getContext()).getLogger(NonBlockingAppender.class);
        LoggingEvent report = new LoggingEvent(
                NonBlockingAppender.class.getName(),
                logger,
                Level.WARN,
                "{} log lines were dropped, since {} did not take them fast enough",
                null,
                new Object[] {lost, getName()});
        report.addKeyValuePair(new KeyValuePair("dropped", lost));
        return report;
    }
}
