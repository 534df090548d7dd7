package io.controllermanager.testing.controllers;

import com.google.gson.Gson;
import io.controllermanager.client.Patch;
import io.controllermanager.testing.controlplane.Binaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * A manifest of one document, as people give it to {@code kubectl apply}.
 *
 * @param content what it says
 */
public record Manifest(Map<String, Object> content) {

    /** Seen from a controller's module, where its tests run. */
    private static final Path CONFIG = Path.of("..", "..", "config");

    /**
     * One that the repository ships.
     *
     * @param file its name in the folder {@code config}
     */
    public static Manifest ofConfig(String file) {
        return read(CONFIG.resolve(file));
    }

    /**
     * One that {@code k8s.io/sample-controller} ships.
     *
     * @param file its name in that module's folder {@code artifacts/examples}
     */
    public static Manifest ofSampleController(String file) {
        return read(Binaries.locate().sampleControllerManifest(file));
    }

    /** One from elsewhere. */
    public static Manifest read(Path file) {
        try {
            return parse(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Manifest parse(String yaml) {
        return new Manifest(new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml));
    }

    /** The same as JSON. */
    public String json() {
        return new Gson().toJson(content);
    }

    /** What applies it, in the name of the tests. */
    public Patch apply() {
        return new Patch.Apply(json(), "test", true);
    }
}
