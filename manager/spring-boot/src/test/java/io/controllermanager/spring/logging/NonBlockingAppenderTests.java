package io.controllermanager.spring.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import io.controllermanager.testing.support.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A console that nobody reads, until somebody does. */
class NonBlockingAppenderTests {

    /** For a stop that is to give up: what it waits for never comes. */
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final LoggerContext context = new LoggerContext();
    private final LogbackMDCAdapter mdc = new LogbackMDCAdapter();
    private final Logger log = context.getLogger("test");
    private final Console console = new Console();

    @BeforeEach
    void begin() {
        context.setMDCAdapter(mdc);
        console.setContext(context);
        console.setName("CONSOLE");
        console.start();
    }

    @AfterEach
    void end() {
        console.read.countDown();
        context.stop();
    }

    @Test
    void linesAreWrittenInTheirOrder() {
        console.read.countDown();
        NonBlockingAppender appender = appender(Waiting.LIMIT);
        for (int i = 0; i < 100; i++) {
            log.info("line {}", i);
        }
        appender.stop();
        assertThat(console.messages())
                .isEqualTo(IntStream.range(0, 100).mapToObj(i -> "line " + i).toList());
        assertThat(appender.dropped()).isZero();
        assertThat(console.isStarted()).isFalse();
    }

    @Test
    void whereNobodyReadsLinesAreDroppedThoseOfErrorsLastAndOneLineSaysHowMany() throws Exception {
        NonBlockingAppender appender = appender(Waiting.LIMIT);
        log.info("being written");
        Waiting.on(console.writing);

        int ordinary = NonBlockingAppender.CAPACITY - NonBlockingAppender.RESERVED;
        for (int i = 0; i < ordinary; i++) {
            log.info("ordinary");
        }
        assertThat(appender.dropped()).isZero();
        log.info("one too many");
        log.debug("another");
        assertThat(appender.dropped()).isEqualTo(2);
        for (int i = 0; i < NonBlockingAppender.RESERVED; i++) {
            log.atLevel(i % 2 == 0 ? org.slf4j.event.Level.WARN : org.slf4j.event.Level.ERROR)
                    .log("serious");
        }
        assertThat(appender.dropped()).isEqualTo(2);
        log.error("one too many");
        assertThat(new LogbackConsole(context).dropped()).isEqualTo(3);

        console.read.countDown();
        await().until(() -> console.messages().size() == NonBlockingAppender.CAPACITY + 2);
        assertThat(console.messages().get(0)).isEqualTo("being written");
        assertThat(console.messages().subList(1, 1 + ordinary)).containsOnly("ordinary");
        assertThat(console.messages().subList(1 + ordinary, 1 + NonBlockingAppender.CAPACITY))
                .containsOnly("serious");
        ILoggingEvent last = console.lines.get(NonBlockingAppender.CAPACITY + 1);
        assertThat(last.getLevel()).isEqualTo(Level.WARN);
        assertThat(last.getFormattedMessage())
                .isEqualTo("3 log lines were dropped, since CONSOLE did not take them fast enough");

        log.info("afterwards");
        appender.stop();
        assertThat(console.messages()).endsWith("afterwards").hasSize(NonBlockingAppender.CAPACITY + 3);
    }

    @Test
    void aLineSaysWhatHeldWhenItWasLogged() throws Exception {
        NonBlockingAppender appender = appender(Waiting.LIMIT);
        log.info("being written");
        Waiting.on(console.writing);
        mdc.put("name", "then");
        StringBuilder argument = new StringBuilder("then");
        log.atInfo().addKeyValue("key", "value").log("it is {}", argument);
        mdc.put("name", "now");
        argument.replace(0, 4, "now");

        console.read.countDown();
        appender.stop();
        ILoggingEvent line = console.lines.get(1);
        assertThat(line.getFormattedMessage()).isEqualTo("it is then");
        assertThat(line.getMDCPropertyMap()).containsEntry("name", "then");
        assertThat(line.getThreadName()).isEqualTo(Thread.currentThread().getName());
        assertThat(line.getKeyValuePairs()).singleElement().hasToString("key=\"value\"");
    }

    @Test
    void aStopDoesNotWaitForEverAndIsNotLoggedTo() throws Exception {
        NonBlockingAppender appender = appender(AT_ONCE);
        log.info("being written");
        Waiting.on(console.writing);
        log.info("in the queue");
        appender.stop();
        assertThat(appender.isStarted()).isFalse();
        assertThat(context.getStatusManager().getCopyOfStatusList()).isEmpty();
        console.read.countDown();
        await().until(() -> console.messages().equals(List.of("being written", "in the queue")));
    }

    @Test
    void aLineThatCannotBeWrittenIsCountedAndTheNextIsWritten() {
        console.read.countDown();
        console.failures.set(1);
        NonBlockingAppender appender = appender(Waiting.LIMIT);
        log.info("bad");
        await().until(() -> appender.dropped() == 1);
        log.info("good");
        appender.stop();
        assertThat(console.messages())
                .containsExactly("good", "1 log lines were dropped, since CONSOLE did not take them fast enough");
    }

    private NonBlockingAppender appender(Duration flushLimit) {
        NonBlockingAppender appender = new NonBlockingAppender(console, flushLimit);
        appender.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
        return appender;
    }

    /** Blocks in the first line until it is read. */
    private static final class Console extends AppenderBase<ILoggingEvent> {

        final CountDownLatch writing = new CountDownLatch(1);
        final CountDownLatch read = new CountDownLatch(1);
        final AtomicInteger failures = new AtomicInteger();
        final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent line) {
            writing.countDown();
            while (read.getCount() > 0) {
                try {
                    Waiting.on(read);
                } catch (InterruptedException ignored) {
                    // A write to a pipe heeds no interrupt.
                }
            }
            if (failures.getAndDecrement() > 0) {
                throw new StackOverflowError("in a layout");
            }
            lines.add(line);
        }

        List<String> messages() {
            return lines.stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }
}
