package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.KubernetesApiResponse;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Random Websites that go through the real API server and the example's converter: created in one version, read in the other,
 * written back as they were read, and read in the first again.
 */
final class RandomWebsites {

    private static final List<String> VERSIONS = List.of("v1beta1", "v1");

    private final ApiClient client;

    private RandomWebsites(ApiClient client) {
        this.client = client;
    }

    /**
     * Sends half of them each way; expects each to come back as it was, and leaves none behind.
     *
     * @throws AssertionError with the ones that differ
     */
    static void convert(ControlPlane plane, int count) throws IOException {
        RandomWebsites websites =
                new RandomWebsites(Config.fromConfig(plane.kubeconfigFile().toString()));
        List<String> wrong = IntStream.range(0, count)
                .parallel()
                .mapToObj(websites::wrong)
                .filter(message -> !message.isEmpty())
                .toList();
        assertThat(wrong).isEmpty();
    }

    private String wrong(int number) {
        String one = VERSIONS.get(number % 2);
        String other = VERSIONS.get(1 - number % 2);
        JsonObject made = random(one, number);
        String name = made.getAsJsonObject("metadata").get("name").getAsString();
        JsonObject created = done(api(one).create(new DynamicKubernetesObject(made)));
        JsonObject read = done(api(other).get("default", name));
        done(api(other).update(new DynamicKubernetesObject(read.deepCopy())));
        JsonObject back = done(api(one).get("default", name));
        // Answered by a Status.
        assertThat(api(one).delete("default", name).isSuccess()).isTrue();
        boolean renamed = read.getAsJsonObject("spec").get(field(other)) != null
                && read.getAsJsonObject("spec").get(field(one)) == null;
        boolean whole = renamed
                && same(created).equals(same(back))
                && made.get("spec").equals(back.get("spec"))
                && Objects.equals(annotations(made), annotations(back));
        return whole ? "" : made + " is " + created + ", becomes " + read + " and then " + back;
    }

    private static @Nullable JsonElement annotations(JsonObject object) {
        return object.getAsJsonObject("metadata").get("annotations");
    }

    private DynamicKubernetesApi api(String version) {
        return new DynamicKubernetesApi("example.com", version, "websites", client);
    }

    private static JsonObject done(KubernetesApiResponse<DynamicKubernetesObject> answer) {
        assertThat(answer.isSuccess()).as(String.valueOf(answer.getStatus())).isTrue();
        return answer.getObject().getRaw();
    }

    /** Without what the API server sets with each write. */
    private static JsonObject same(JsonObject object) {
        JsonObject rest = object.deepCopy();
        JsonObject metadata = rest.getAsJsonObject("metadata");
        List.of("managedFields", "resourceVersion", "generation").forEach(metadata::remove);
        return rest;
    }

    private static String field(String version) {
        return version.equals("v1") ? "html" : "page";
    }

    /** Its number is the seed, so that one that fails can be made again. */
    private static JsonObject random(String version, int number) {
        Random random = new Random(number);
        JsonObject spec = new JsonObject();
        spec.addProperty(
                "host",
                "random-" + number + "." + Integer.toString(random.nextInt(36, 1_000_000), 36) + ".example.com");
        spec.addProperty(field(version), text(random));
        spec.addProperty("replicas", random.nextInt(101));
        if (random.nextBoolean()) {
            spec.addProperty("tlsSecretName", "secret-" + random.nextInt(1_000));
        }
        JsonObject metadata = new JsonObject();
        metadata.addProperty("name", "random-" + number);
        metadata.addProperty("namespace", "default");
        if (random.nextBoolean()) {
            JsonObject labels = new JsonObject();
            labels.addProperty("random", Integer.toString(random.nextInt(100)));
            metadata.add("labels", labels);
        }
        if (random.nextBoolean()) {
            JsonObject annotations = new JsonObject();
            annotations.addProperty("example.com/" + Integer.toString(random.nextInt(36, 100_000), 36), text(random));
            metadata.add("annotations", annotations);
        }
        JsonObject website = new JsonObject();
        website.addProperty("apiVersion", "example.com/" + version);
        website.addProperty("kind", "Website");
        website.add("metadata", metadata);
        website.add("spec", spec);
        return website;
    }

    /** Of letters of many scripts, markup and what JSON must escape. */
    private static String text(Random random) {
        String letters = "abc <>&\"'\\/\t\näßøЖ中\uD83D\uDE00";
        int[] points = letters.codePoints().toArray();
        return "x"
                + random.ints(random.nextInt(200), 0, points.length)
                        .mapToObj(i -> Character.toString(points[i]))
                        .collect(Collectors.joining());
    }
}
