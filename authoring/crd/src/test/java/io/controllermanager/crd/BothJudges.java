package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/** Has two servers judge the same random objects, many at a time, and tells where they disagree. All but one object of each type is a dry run. */
final class BothJudges implements AutoCloseable {

    private static final Path ROOT = Path.of("../..");
    private static final Gson GSON =
            new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    private static final MediaType JSON = MediaType.get("application/json");
    private static final int UNAVAILABLE = 503;

    /** How many disagreements are told of. */
    private static final int SHOWN = 10;

    /**
     * A type under test.
     *
     * @param kept of which there is one object on each server, for updates
     */
    private record Type(CustomResourceDefinition crd, JsonObject definition, JsonObject kept) {

        private static Type of(CustomResourceDefinition crd, String spec) {
            JsonObject definition = GSON.toJsonTree(crd.content()).getAsJsonObject();
            Type type = new Type(crd, definition, new JsonObject());
            type.kept.addProperty("apiVersion", type.apiVersion());
            type.kept.addProperty("kind", type.kind());
            type.kept.add("metadata", JsonParser.parseString("{\"name\": \"kept\"}"));
            type.kept.add("spec", JsonParser.parseString(spec));
            return type;
        }

        private JsonObject version() {
            return definition
                    .getAsJsonObject("spec")
                    .getAsJsonArray("versions")
                    .get(0)
                    .getAsJsonObject();
        }

        private JsonObject schema() {
            return version().getAsJsonObject("schema").getAsJsonObject("openAPIV3Schema");
        }

        private String apiVersion() {
            return definition.getAsJsonObject("spec").get("group").getAsString() + "/"
                    + version().get("name").getAsString();
        }

        private String kind() {
            return names().get("kind").getAsString();
        }

        private String plural() {
            return names().get("plural").getAsString();
        }

        private JsonObject names() {
            return definition.getAsJsonObject("spec").getAsJsonObject("names");
        }
    }

    /** How an object is sent. */
    private enum Way {
        CREATE("POST", "", ""),
        CREATE_STRICTLY("POST", "", "&fieldValidation=Strict"),
        UPDATE("PUT", "/kept", ""),
        UPDATE_STATUS("PUT", "/kept/status", "");

        private final String method;
        private final String path;
        private final String parameters;

        Way(String method, String path, String parameters) {
            this.method = method;
            this.path = path;
            this.parameters = parameters;
        }
    }

    private record Case(Type type, Way way, JsonObject object) {}

    /** A server, and the namespace in which it is asked. */
    private record Judge(OkHttpClient http, String base, String namespace) {

        private static Judge of(TestedServer server, List<Type> types) throws ApiException {
            ApiClient client = server.client();
            Judge judge = new Judge(client.getHttpClient(), client.getBasePath(), server.createNamespace());
            for (Type type : types) {
                Crds.install(client, type.crd());
                Verdict kept = judge.send("POST", judge.url(type), GSON.toJson(type.kept()));
                assertThat(kept.code()).as("%s", kept).isEqualTo(201);
            }
            return judge;
        }

        private String url(Type type) {
            return base + "/apis/" + type.apiVersion() + "/namespaces/" + namespace + "/" + type.plural();
        }

        private Verdict judge(Case asked) {
            String url = url(asked.type()) + asked.way().path;
            JsonObject object = asked.object();
            if (!asked.way().path.isEmpty()) {
                object = object.deepCopy();
                JsonObject metadata = object.getAsJsonObject("metadata");
                metadata.addProperty("name", "kept");
                metadata.add("resourceVersion", version(url(asked.type()) + "/kept"));
            }
            return send(asked.way().method, url + "?dryRun=All" + asked.way().parameters, GSON.toJson(object));
        }

        private JsonElement version(String url) {
            try (Response response =
                    http.newCall(new Request.Builder().url(url).build()).execute()) {
                return JsonParser.parseString(response.body().string())
                        .getAsJsonObject()
                        .getAsJsonObject("metadata")
                        .get("resourceVersion");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private Verdict send(String method, String url, String body) {
            Request request = new Request.Builder()
                    .url(url)
                    .method(method, RequestBody.create(body, JSON))
                    .build();
            // While kube-apiserver makes a custom type's storage anew it says to try again.
            Verdict verdict = exchange(request);
            return verdict.code() != UNAVAILABLE
                    ? verdict
                    : await().until(() -> exchange(request), again -> again.code() != UNAVAILABLE);
        }

        private Verdict exchange(Request request) {
            try (Response response = http.newCall(request).execute()) {
                return Verdict.of(
                        response.code(),
                        response.headers("Warning"),
                        response.body().string());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final List<Type> types;
    private final Judge embedded;
    private final Judge real;
    private final ExecutorService threads = Executors.newFixedThreadPool(8);

    BothJudges(TestedServer embedded, TestedServer real) throws ApiException, IOException {
        types = List.of(
                Type.of(read("config/crd/bases/samplecontroller.k8s.io_foos.yaml"), "{\"deploymentName\": \"a\"}"),
                Type.of(read("config/crd/bases/sample.k8s.io_networks.yaml"), "{\"cidr\": \"10.0.0.0/8\"}"),
                Type.of(
                        read("examples/website/config/crd/websites.example.com.yaml"),
                        "{\"host\": \"a.b\", \"html\": \"\"}"),
                Type.of(
                        CustomResourceDefinition.of(List.of(Everything.class), Comments.NONE)
                                .get(0),
                        "{\"host\": \"a.b\", \"html\": \"\", \"class\": \"c\", \"ports\": [{\"number\": 1}],"
                                + " \"modes\": [\"RW\"]}"));
        this.embedded = Judge.of(embedded, types);
        this.real = Judge.of(real, types);
    }

    private static CustomResourceDefinition read(String path) throws IOException {
        return CustomResourceDefinition.parse(Files.readString(ROOT.resolve(path)));
    }

    /**
     * Fails where the servers disagree.
     *
     * @param each how many objects of each type
     */
    void expectAgreement(long seed, int each) throws InterruptedException, ExecutionException {
        Random random = new Random(seed);
        RandomObjects objects = new RandomObjects(random);
        List<Future<@Nullable String>> judged = new ArrayList<>();
        for (Type type : types) {
            for (int i = 0; i < each; i++) {
                JsonObject object = objects.next(type.apiVersion(), type.kind(), type.schema());
                Way way = Way.values()[random.nextInt(Way.values().length)];
                Case asked = new Case(type, random.nextBoolean() ? Way.CREATE : way, object);
                judged.add(threads.submit(() -> disagreement(asked)));
            }
        }
        List<String> disagreements = new ArrayList<>();
        for (Future<@Nullable String> answer : judged) {
            String disagreement = answer.get();
            if (disagreement != null) {
                disagreements.add(disagreement);
            }
        }
        assertThat(disagreements.stream().limit(SHOWN))
                .as("%s disagreements with seed %s", disagreements.size(), seed)
                .isEmpty();
    }

    private @Nullable String disagreement(Case asked) {
        Verdict ours = embedded.judge(asked);
        Verdict theirs = real.judge(asked);
        return ours.isLike(theirs)
                ? null
                : "\n%s %s\n  embedded: %s\n  real:     %s"
                        .formatted(asked.way(), GSON.toJson(asked.object()), ours, theirs);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
