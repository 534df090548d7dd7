package io.controllermanager.testing.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {

    @TempDir
    Path directory;

    @Test
    void readsOnFromWhatAnApiServerLeftUnfinished() throws IOException {
        Path log = directory.resolve("audit.log");
        String torn = event("lost");
        Files.writeString(log, event("a") + "\n" + torn.substring(0, torn.length() / 2));
        History history = new History(List.of(log));
        history.read();

        Files.writeString(log, event("b") + "\n" + event("c") + "\n", StandardOpenOption.APPEND);
        history.read();

        assertThat(history.events()).extracting(AuditEvent::user).containsExactly("a", "b", "c");
    }

    @Test
    void readsBothEventsWhereOnlyTheEndOfALineIsMissing() throws IOException {
        Path log = Files.writeString(directory.resolve("audit.log"), event("a") + event("b") + "\n");
        History history = new History(List.of(log));

        history.read();

        assertThat(history.events()).extracting(AuditEvent::user).containsExactly("a", "b");
    }

    private static String event(String user) {
        return """
                {"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","verb":"patch",\
                "requestReceivedTimestamp":"2026-01-01T00:00:01.000001Z","stageTimestamp":"2026-01-01T00:00:01.000002Z",\
                "user":{"username":"%s"},"objectRef":{"resource":"deployments"},"responseStatus":{"code":200}}""".formatted(user);
    }
}
