package io.controllermanager.informer.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every mechanism once, on each server on which it means something, with an informer and a proxy of its own; several at a
 * time, but those that end or halt a server's processes one after the other on a server of their own. Each test waits for
 * one of them.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("control-plane")
@Execution(ExecutionMode.CONCURRENT)
class InformerFaultsTest {

    private static final long SEED = 6;
    private static final int AT_ONCE = 6;

    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();
    private final List<ExecutorService> executors = new ArrayList<>();
    private final List<DynamicTest> tests = new ArrayList<>();
    private final AtomicInteger number = new AtomicInteger();

    @BeforeAll
    void begin() {
        CompletableFuture<World> embedded = start(() -> World.embedded(SEED));
        CompletableFuture<World> real = start(() -> World.real("real", SEED));
        CompletableFuture<World> mortal = start(() -> World.real("real, with outages", SEED));
        run(embedded, AT_ONCE, joined(NetworkMechanisms.all(), EmbeddedMechanisms.all()));
        run(start(() -> World.embedded(SEED + 1)), 1, EmbeddedMechanisms.compactions());
        run(real, AT_ONCE, joined(NetworkMechanisms.all(), RealMechanisms.all()));
        run(mortal, 1, OutageMechanisms.all());
    }

    private static List<Mechanism> joined(List<Mechanism> some, List<Mechanism> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    private interface Start {
        World world();
    }

    private CompletableFuture<World> start(Start start) {
        return CompletableFuture.supplyAsync(
                () -> {
                    World world = start.world();
                    open.add(world);
                    return world;
                },
                executor(1, "start"));
    }

    private void run(CompletableFuture<World> world, int atOnce, List<Mechanism> mechanisms) {
        ExecutorService executor = executor(atOnce, "episode");
        for (Mechanism mechanism : mechanisms) {
            int chosen = number.getAndIncrement();
            CompletableFuture<Episode.Outcome> outcome =
                    world.thenApplyAsync(there -> run(there, mechanism, chosen), executor);
            tests.add(DynamicTest.dynamicTest(
                    mechanism.name(),
                    () -> assertThat(outcome.get().faults())
                            .as(outcome.get().json())
                            .isEmpty()));
        }
    }

    /** Half of them begin with a list, half with a WatchList. */
    private static Episode.Outcome run(World world, Mechanism mechanism, int chosen) {
        try (Rig rig = new Rig(world, "rig-" + chosen, chosen % 2 == 0)) {
            Episode.Outcome outcome = new Episode(rig, mechanism, SEED + chosen, true, true).run();
            System.out.println(outcome.json());
            return outcome;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ExecutorService executor(int threads, String name) {
        ExecutorService executor = Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
        executors.add(executor);
        return executor;
    }

    @AfterAll
    void end() throws Exception {
        executors.forEach(ExecutorService::shutdownNow);
        for (AutoCloseable world : open) {
            world.close();
        }
    }

    @TestFactory
    @Execution(ExecutionMode.SAME_THREAD)
    Stream<DynamicTest> recoversWithoutLoss() {
        return tests.stream();
    }
}
