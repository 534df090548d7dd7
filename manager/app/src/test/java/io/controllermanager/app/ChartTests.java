package io.controllermanager.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The chart carries copies, since a chart is one folder: they must not drift from what {@code config} has. */
class ChartTests {

    @Test
    void carriesTheCrdsOfConfig() throws IOException {
        Path config = Manifests.configDirectory();

        Map<String, String> carried = contents(config.resolveSibling("charts/controller-manager/crds"));

        assertThat(carried).isNotEmpty().isEqualTo(contents(config.resolve("crd/bases")));
    }

    private static Map<String, String> contents(Path folder) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return contents;
    }
}
