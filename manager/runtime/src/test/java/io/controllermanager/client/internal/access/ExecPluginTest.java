package io.controllermanager.client.internal.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that do not behave. What they are told and answer is in {@link CredentialPluginTest}. */
class ExecPluginTest {

    private static final Duration LONG = Waiting.LIMIT;
    private static final Duration SHORT = Duration.ofMillis(500);

    private static final String ANSWER =
            "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":{\"token\":\"minted\"}}'\n";

    /** A child and a grandchild, who write down who they are and stay. */
    private static final String FAMILY = """
            sh -c 'sleep 1000 & echo $! >>pids; echo $$ >>pids; wait' &
            echo $$ >>pids
            """;

    @TempDir
    private Path folder = Path.of("");

    @AfterEach
    void endAll() throws IOException {
        processes().forEach(ProcessHandle::destroyForcibly);
    }

    private ExecPlugin plugin(String script, Duration limit) throws IOException {
        return new ExecPlugin(
                "plugin x",
                List.of("/bin/sh", "-c", "cd '" + folder + "'\n" + script),
                Map.of(),
                "client.authentication.k8s.io/v1",
                "",
                limit);
    }

    private List<ProcessHandle> processes() throws IOException {
        Path pids = folder.resolve("pids");
        List<ProcessHandle> processes = new ArrayList<>();
        if (Files.exists(pids)) {
            for (String pid : Files.readAllLines(pids)) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(processes::add);
            }
        }
        return processes;
    }

    private void awaitTheEndOfAll(int count) throws IOException {
        assertThat(Files.readAllLines(folder.resolve("pids"))).hasSize(count);
        await().until(() -> processes().stream().noneMatch(ProcessHandle::isAlive));
    }

    private static void expectFailure(ExecPlugin plugin, String message) {
        assertThatExceptionOfType(CredentialException.class)
                .isThrownBy(plugin::ask)
                .withMessage(message)
                .withNoCause();
    }

    @Test
    void endsAPluginThatHangsAndAllThatItHasStarted() throws Exception {
        ExecPlugin plugin = plugin(
                FAMILY + "while [ $(wc -l <pids) -lt 3 ]; do :; done\necho 'open the browser' >&2\nsleep 1000", SHORT);

        expectFailure(plugin, "plugin x has been ended, since it was not done after 0.5 s: open the browser");

        awaitTheEndOfAll(3);
    }

    @Test
    void endsAPluginWhenItIsInterrupted() throws Exception {
        ExecPlugin plugin = plugin(FAMILY + "wait", LONG);
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        CountDownLatch over = new CountDownLatch(1);
        Thread asking = new Thread(() -> {
            try {
                plugin.ask();
            } catch (Throwable e) {
                outcome.set(e);
            }
            over.countDown();
        });
        asking.start();
        await().until(() -> processes().size() == 3);

        asking.interrupt();

        Waiting.on(over);
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
        awaitTheEndOfAll(3);
    }

    @Test
    void hasNothingToRead() throws Exception {
        assertThat(plugin("cat\n" + ANSWER, LONG).ask().token()).isEqualTo("minted");
    }

    /** As an agent that remembers who signed in; client-go waits until it ends. */
    @Test
    void takesTheAnswerThoughADescendantHoldsItsOutputOpen() throws Exception {
        assertThat(plugin("sleep 1000 & echo $! >pids\n" + ANSWER, LONG).ask().token())
                .isEqualTo("minted");
        assertThat(processes()).allMatch(ProcessHandle::isAlive);
    }

    @Test
    void endsAPluginThatPrintsWithoutAnEnd() throws Exception {
        expectFailure(
                plugin("echo $$ >pids\nexec yes", SHORT), "plugin x has been ended, since it was not done after 0.5 s");
        awaitTheEndOfAll(1);
    }

    @Test
    void readsWhatIsWrittenToStandardErrorHoweverMuchThatIs() throws Exception {
        assertThat(plugin("yes | head -c 3000000 >&2\n" + ANSWER, LONG).ask().token())
                .isEqualTo("minted");
        expectFailure(
                plugin("yes | head -c 3000000 >&2\necho >&2\necho last >&2\nexit 1", LONG),
                "plugin x ended with exit code 1: last");
    }

    @Test
    void cutsALongLineOff() throws Exception {
        expectFailure(
                plugin("head -c 5000 /dev/zero | tr '\\0' x >&2\nexit 1", LONG),
                "plugin x ended with exit code 1: " + "x".repeat(500) + "…");
    }

    @Test
    void saysWhichSignalEndedIt() throws Exception {
        expectFailure(plugin("kill -9 $$", LONG), "plugin x ended with exit code 137");
    }
}
