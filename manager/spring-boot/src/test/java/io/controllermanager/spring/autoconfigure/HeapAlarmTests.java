package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.time.Clock;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
@ResourceLock(Resources.SYSTEM_OUT)
class HeapAlarmTests {

    @TempDir
    Path directory;

    @BeforeEach
    @AfterEach
    void forgetLimits() {
        ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(MemoryPoolMXBean::isCollectionUsageThresholdSupported)
                .forEach(pool -> pool.setCollectionUsageThreshold(0));
    }

    @Test
    void saysWhatTakesTheRoom() {
        MemoryUsage usage = new MemoryUsage(0, 30L << 20, 32L << 20, 32L << 20);

        assertThat(HeapAlarm.inWords(
                        "Tenured Gen",
                        usage,
                        48L << 20,
                        List.of(
                                holding("foos", 20_000, 5L << 20),
                                holding("pods", 0, 0),
                                holding("nodes", 9, 9L << 20))))
                .isEqualTo(
                        "The heap is nearly full: 30 MiB of the 32 MiB for objects that live long (Tenured Gen) are in use "
                                + "after a garbage collection, and the heap may grow to 48 MiB; informers hold 20009 objects, as JSON about 14 MiB "
                                + "(nodes 9 objects, 9 MiB; foos 20000 objects, 5 MiB)");
        assertThat(HeapAlarm.inWords("Tenured Gen", usage, 48L << 20, List.of()))
                .endsWith("informers hold 0 objects, as JSON about 0 MiB");
    }

    @Test
    void isToldByTheJvmAndSaysSoOnceAMinute(CapturedOutput output) throws Exception {
        AtomicInteger informers = new AtomicInteger();
        HandMovedClock clock = new HandMovedClock();
        try (HeapAlarm alarm =
                new HeapAlarm(() -> List.of(holding("foos", informers.incrementAndGet(), 1)), 1e-9, clock)) {
            alarm.start();
            collectUntil(() -> output.getOut().contains("informers hold 1 objects"));

            // Not within the same minute, however often the JVM tells.
            AtomicInteger told = new AtomicInteger();
            NotificationListener listener = (notification, handback) -> told.incrementAndGet();
            NotificationEmitter emitter = (NotificationEmitter) ManagementFactory.getMemoryMXBean();
            emitter.addNotificationListener(listener, null, null);
            collectUntil(() -> told.get() >= 3);
            emitter.removeNotificationListener(listener);
            assertThat(informers).hasValue(1);

            clock.since = Duration.ofMinutes(1);
            collectUntil(() -> output.getOut().contains("informers hold 2 objects"));
        }
    }

    @Test
    void isSetWhereTheHostStarts() throws Exception {
        try (ApiServer server = ApiServer.start()) {
            Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), server.kubeconfig());
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(ControllerManagerAutoConfiguration.class))
                    .withBean(KubernetesConnectionDetails.class, () -> () -> kubeconfig)
                    .withPropertyValues("controller-manager.leader-election.enabled=false")
                    .run(context -> assertThat(ManagementFactory.getMemoryPoolMXBeans())
                            .filteredOn(MemoryPoolMXBean::isCollectionUsageThresholdSupported)
                            .anySatisfy(pool -> assertThat(pool.getCollectionUsageThreshold())
                                    .isEqualTo((long) (pool.getUsage().getMax() * HeapAlarm.NEARLY_FULL))
                                    .isPositive()));
        }
    }

    private static void collectUntil(BooleanSupplier done) {
        await().until(() -> {
            System.gc();
            return done.getAsBoolean();
        });
    }

    /** Stands still until it is moved. */
    private static final class HandMovedClock implements Clock {

        private volatile Duration since = Duration.ZERO;

        @Override
        public long nanoTime() {
            return since.toNanos();
        }

        @Override
        public Instant now() {
            return Instant.EPOCH.plus(since);
        }
    }

    private static InformerStatus holding(String resource, int objects, long bytes) {
        return new InformerStatus(
                resource, Set.of(), true, true, true, objects, "1", 1, 1, null, null, null, 0, 0, List.of(), bytes,
                List.of());
    }
}
