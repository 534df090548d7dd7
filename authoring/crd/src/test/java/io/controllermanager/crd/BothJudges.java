package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Has two servers judge the same random objects, many at a time, and tells where they disagree. All but one object of each type is a dry run. */
final class BothJudges implements AutoCloseable {

    private static final Path ROOT = Path.of("../..");
    private static final Gson GSON =
            new GsonBuilder().serializeNulls().disableHtmlEscaping().create();
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int REFUSED = 422;

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
        CREATE("POST", "", "", CREATED),
        CREATE_STRICTLY("POST", "", "&fieldValidation=Strict", CREATED),
        UPDATE("PUT", "/kept", "", OK),
        UPDATE_STATUS("PUT", "/kept/status", "", OK);

        private final String method;
        private final String path;
        private final String parameters;
        private final int taken;

        Way(String method, String path, String parameters, int taken) {
            this.method = method;
            this.path = path;
            this.parameters = parameters;
            this.taken = taken;
        }
    }

    private record Case(Type type, Way way, JsonObject object) {

        Verdict judgedBy(Judge judge) {
            JsonObject sent = object.deepCopy();
            if (!way.path.isEmpty()) {
                JsonObject metadata = sent.getAsJsonObject("metadata");
                metadata.addProperty("name", "kept");
                metadata.add("resourceVersion", judge.resourceVersion(type.apiVersion(), type.plural(), "kept"));
            }
            return judge.send(
                    way.method,
                    judge.path(type.apiVersion(), type.plural()) + way.path + "?dryRun=All" + way.parameters,
                    GSON.toJson(sent));
        }
    }

    /** What both say of a case. */
    private record Answer(Case asked, Verdict ours, Verdict theirs) {

        private String told() {
            return "\n%s %s\n  embedded: %s\n  real:     %s"
                    .formatted(asked.way(), GSON.toJson(asked.object()), ours, theirs);
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
        this.embedded = judge(embedded);
        this.real = judge(real);
    }

    private Judge judge(TestedServer server) throws ApiException {
        Judge judge = Judge.of(server);
        for (Type type : types) {
            Crds.install(server.client(), type.crd());
            Verdict kept = judge.send("POST", judge.path(type.apiVersion(), type.plural()), GSON.toJson(type.kept()));
            assertThat(kept.code()).as("%s", kept).isEqualTo(CREATED);
        }
        return judge;
    }

    private static CustomResourceDefinition read(String path) throws IOException {
        return CustomResourceDefinition.parse(Files.readString(ROOT.resolve(path)));
    }

    /**
     * Fails where the servers disagree, and where they agree for want of questions: each type and each way
     * has to have objects that are taken and objects that are refused for what is in them.
     *
     * @param each how many objects of each type
     */
    void expectAgreement(long seed, int each) throws InterruptedException, ExecutionException {
        Random random = new Random(seed);
        RandomObjects objects = new RandomObjects(random);
        List<Future<Answer>> judged = new ArrayList<>();
        for (Type type : types) {
            for (int i = 0; i < each; i++) {
                JsonObject object = objects.next(type.apiVersion(), type.kind(), type.schema());
                Way way = Way.values()[random.nextInt(Way.values().length)];
                Case asked = new Case(type, random.nextBoolean() ? Way.CREATE : way, object);
                judged.add(threads.submit(() -> new Answer(asked, asked.judgedBy(embedded), asked.judgedBy(real))));
            }
        }
        List<Answer> disagreements = new ArrayList<>();
        Map<String, Map<Integer, Integer>> codes = new TreeMap<>();
        for (Future<Answer> future : judged) {
            Answer answer = future.get();
            if (!answer.ours().isLike(answer.theirs())) {
                disagreements.add(answer);
            }
            Case asked = answer.asked();
            for (String counted : List.of(asked.type().kind(), asked.way().name())) {
                codes.computeIfAbsent(counted, key -> new TreeMap<>())
                        .merge(answer.theirs().code(), 1, Integer::sum);
            }
        }
        assertThat(disagreements.stream().limit(SHOWN).map(Answer::told))
                .as("%s disagreements with seed %s", disagreements.size(), seed)
                .isEmpty();
        for (Type type : types) {
            assertThat(codes.get(type.kind()))
                    .as("codes of %s with seed %s, in %s", type.kind(), seed, codes)
                    .containsKeys(CREATED, OK, REFUSED);
        }
        for (Way way : Way.values()) {
            assertThat(codes.get(way.name()))
                    .as("codes of %s with seed %s, in %s", way, seed, codes)
                    .containsKeys(way.taken, REFUSED);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
