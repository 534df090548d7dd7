package io.controllermanager.testing.foreigners;

import io.controllermanager.testing.controlplane.Binaries;
import io.controllermanager.testing.foreigners.TwoServers.Both;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** kubectl, of the same version as the real server, and helm. */
@Tag("deep")
class CommandLineTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"kubectl", "helm"})
    void answersAsItIsRecorded(String name) throws Exception {
        Script script = Script.named(name);
        Binaries binaries = Binaries.locate();
        List<Path> programs = List.of(binaries.program("kubectl"), binaries.program("helm"));
        try (TwoServers servers = TwoServers.start()) {
            Both<List<Step>> answers = servers.each(server -> script.runIn(Workplace.create(
                    directory.resolve(server.toString()), server.kubeconfig(), script.files(), programs)));
            Differences.check(name, answers.real(), answers.embedded());
        }
    }
}
