package io.controllermanager.testing.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 100,000 ConfigMaps of 1 KB with 10 watchers fit into 2 GiB of heap, clients included. */
class ScaleTest {

    @Test
    void holdsAHundredThousandObjects(@TempDir Path directory) {
        String output = Command.run(
                directory,
                Map.of(),
                "",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx2g",
                "-cp",
                System.getProperty("java.class.path"),
                Scale.class.getName(),
                "100000",
                "10");
        assertThat(output).contains("list: 100,000 objects");
        assertThat(output).contains("10 watchers had all 100,000 events", "replay: ");
    }
}
