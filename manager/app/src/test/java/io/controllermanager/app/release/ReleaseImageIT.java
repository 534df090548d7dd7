package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.app.support.Programs;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image that {@code release/image} makes for each architecture, without its base; {@code JibIT} starts the one of this build. */
@Tag("deep")
class ReleaseImageIT {

    @TempDir
    Path directory;

    @Test
    void isTheSameForBothArchitecturesButForTheirName() throws Exception {
        ProjectCopy project = ProjectCopy.of(directory, file -> true);
        project.run(Map.of(), "release/image");

        JsonNode amd64 = expectImage(directory.resolve("target/release/image-amd64.tar"), "amd64");
        JsonNode arm64 = expectImage(directory.resolve("target/release/image-arm64.tar"), "arm64");
        assertThat(arm64).isEqualTo(amd64);
    }

    /** What is in the image's config, with the layers' digests, but for the architecture. */
    private static JsonNode expectImage(Path tar, String architecture) throws Exception {
        JsonNode manifest =
                new ObjectMapper().readTree(read(tar, "manifest.json")).get(0);
        ObjectNode config = (ObjectNode)
                new ObjectMapper().readTree(read(tar, manifest.get("Config").textValue()));
        assertThat(config.remove("architecture").textValue()).isEqualTo(architecture);
        assertThat(config.get("os").textValue()).isEqualTo("linux");
        assertThat(config.at("/config/User").textValue()).isEqualTo("65532:65532");
        assertThat(config.at("/config/Entrypoint"))
                .extracting(JsonNode::textValue)
                .startsWith("java")
                .endsWith("io.controllermanager.app.Main");
        // A recording is good for one architecture.
        assertThat(config.toString()).doesNotContain("AOTCache");
        assertThat(config.at("/rootfs/diff_ids"))
                .hasSameSizeAs(manifest.get("Layers"))
                .hasSizeGreaterThan(2);
        for (JsonNode layer : manifest.get("Layers")) {
            assertThat(list(tar, layer.textValue())).doesNotContain(".aot\n");
        }
        return config;
    }

    private static String read(Path tar, String file) throws Exception {
        return Programs.run(Path.of("tar"), List.of("-xOf", tar.toString(), file))
                .expectOut();
    }

    private static String list(Path tar, String layer) throws Exception {
        return Programs.run(Path.of("sh"), List.of("-c", "tar -xOf \"$0\" \"$1\" | tar -tz", tar.toString(), layer))
                .expectOut();
    }
}
