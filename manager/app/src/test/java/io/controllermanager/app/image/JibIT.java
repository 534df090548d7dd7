package io.controllermanager.app.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.testing.support.Jdk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The image that Jib makes, without its base, which is in a registry that tests do not reach. */
@Tag("release")
class JibIT {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path directory;

    private static JsonNode settings;
    private static List<Path> layers = new ArrayList<>();

    @BeforeAll
    static void unpack() throws Exception {
        Path image = Files.createDirectory(directory.resolve("image"));
        untar(Container.project().resolve("manager/app/target/image-without-base.tar"), image);
        JsonNode manifest =
                JSON.readTree(image.resolve("manifest.json").toFile()).get(0);
        settings = JSON.readTree(
                        image.resolve(manifest.get("Config").textValue()).toFile())
                .get("config");
        for (JsonNode name : manifest.get("Layers")) {
            Path layer = Files.createDirectory(directory.resolve("layer-" + layers.size()));
            untar(image.resolve(name.textValue()), layer);
            layers.add(layer);
        }
    }

    @Test
    void runsAsNobodyInParticular() {
        assertThat(settings.get("User").textValue()).isEqualTo("65532:65532");
        assertThat(settings.get("ExposedPorts").has("8080/tcp")).isTrue();
    }

    @Test
    void hasLibrariesBelowTheProject() {
        assertThat(layers.get(0).resolve("app/libs")).isDirectoryContaining("glob:**/client-java-2*.jar");
        assertThat(layers.subList(1, layers.size()))
                .anySatisfy(layer -> assertThat(layer.resolve("app/libs"))
                        .isDirectoryContaining("glob:**/controller-manager-foo*.jar"));
    }

    @Test
    void startsAndReconciles() throws Exception {
        Path root = Files.createDirectory(directory.resolve("root"));
        for (Path layer : layers) {
            run("cp", "-a", layer + "/.", root.toString());
        }
        Path classPath = root.resolve("app/jib-classpath-file");
        Files.writeString(classPath, Files.readString(classPath).replace("/app/", root.resolve("app") + "/"));
        List<String> command = new ArrayList<>();
        settings.get("Entrypoint")
                .forEach(word -> command.add(word.textValue().replace("@/app/", "@" + root + "/app/")));

        assertThat(Container.live(root, command, environment(), Jdk.ofTheImage(), Container.Work.FOO))
                .anyMatch(line -> line.contains("Controller foo: workers started"));
    }

    private static Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        settings.get("Env").forEach(entry -> {
            String[] parts = entry.textValue().split("=", 2);
            environment.put(parts[0], parts[1]);
        });
        return environment;
    }

    private static void untar(Path archive, Path target) throws IOException, InterruptedException {
        run("tar", "-xf", archive.toString(), "-C", target.toString());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
