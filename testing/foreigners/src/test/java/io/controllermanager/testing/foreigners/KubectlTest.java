package io.controllermanager.testing.foreigners;

import io.controllermanager.testing.controlplane.Binaries;
import io.controllermanager.testing.foreigners.TwoServers.Both;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kubectl, of the same version as the real server. */
@Tag("system")
class KubectlTest {

    @TempDir
    private Path directory;

    @Test
    void answersAsItIsRecorded() throws Exception {
        Script script = Script.named("kubectl");
        Path programs = Binaries.locate().program("kubectl").getParent();
        try (TwoServers servers = TwoServers.start()) {
            Both<List<Step>> answers = servers.each(server -> script.run(
                    server.kubeconfig(), Files.createDirectory(directory.resolve(server.toString())), programs));
            Differences.check("kubectl", answers.real(), answers.embedded());
        }
    }
}
