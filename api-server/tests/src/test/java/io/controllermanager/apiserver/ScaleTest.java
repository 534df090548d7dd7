package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.support.Command;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * 25,000 ConfigMaps of 1 KB with 10 watchers fit into 512 MiB of heap, clients included. {@code benchmarks/run/api-server-scale}
 * does the same with 100,000 and 2 GiB.
 */
@Tag("deep")
class ScaleTest {

    @Test
    void holdsManyObjects(@TempDir Path directory) {
        String output = Command.run(
                directory,
                Map.of(),
                "",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                Scale.class.getName(),
                "25000",
                "10");
        assertThat(output).contains("list: 25,000 objects");
        assertThat(output).contains("10 watchers had all 25,000 events", "replay: ");
    }
}
