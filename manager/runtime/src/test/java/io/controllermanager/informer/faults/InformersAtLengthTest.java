package io.controllermanager.informer.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What takes as long as one lets it: faults in random order, and thousands of disconnections. Each in a process of its own,
 * for {@code -Ddeep.minutes}; their records stay in {@code target}. {@code -Dinformer.seed} plays the faults of another run.
 */
@Tag("deep")
class InformersAtLengthTest {

    private static final String MINUTES = System.getProperty("deep.minutes", "30");

    @Test
    void recoverFromFaultsAtRandom() throws Exception {
        long seed = Long.getLong("informer.seed", new Random().nextLong());
        run("informer-faults-" + seed, LongRun.class, MINUTES, Long.toString(seed), "target/informer-faults.jsonl");
    }

    @Test
    void leaveNothingBehindAfterDisconnections() throws Exception {
        run("informer-soak", Soak.class, MINUTES);
    }

    private static void run(String name, Class<?> main, String... arguments) throws IOException, InterruptedException {
        Path output = Path.of("target", name + ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor())
                    .as(() -> command + ":\n" + read(output))
                    .isZero();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
