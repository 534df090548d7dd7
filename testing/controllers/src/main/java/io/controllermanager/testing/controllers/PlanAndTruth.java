package io.controllermanager.testing.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HttpSettings;
import io.controllermanager.client.internal.plan.Difference;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.manager.internal.Cluster;
import io.controllermanager.manager.internal.ControllerManager;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.HostParts;
import io.controllermanager.manager.internal.Leadership;
import io.controllermanager.manager.internal.PlanRun;
import io.controllermanager.recorder.internal.PlannedEvents;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import okhttp3.Request;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a dry run tells with what a real run then does, by object and field, in one namespace. Values that the API
 * server draws (uids, times, addresses of Services) and what it alone writes are left out.
 */
public final class PlanAndTruth {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Pattern DRAWN = Pattern.compile(".*(uid|[tT]ime|Timestamp)|spec\\.clusterIPs?(\\[0\\])?");

    private final TestedServer server;
    private final String namespace;
    private final List<String> collections;

    /**
     * Of a namespace.
     *
     * @param collections whose objects are compared, such as {@code apis/apps/v1/deployments}
     */
    public PlanAndTruth(TestedServer server, String namespace, String... collections) {
        this.server = server;
        this.namespace = namespace;
        this.collections = List.of(collections);
    }

    /** The plan, after it was seen to have changed nothing: by what was sent, and by the audit log where there is one. */
    public PlanReport plan(ControllerDescriptor... controllers) {
        Map<String, JsonObject> before = objects();
        List<Request> writes = new CopyOnWriteArrayList<>();
        ApiClient client = server.client();
        client.setHttpClient(client.getHttpClient()
                .newBuilder()
                .addNetworkInterceptor(chain -> {
                    if (!chain.request().method().equals("GET")) {
                        writes.add(chain.request());
                    }
                    return chain.proceed(chain.request());
                })
                .build());
        String agent = "dry-run-" + UUID.randomUUID();
        PlanReport report = run(client, agent, new Plan(), controllers);
        assertThat(writes).allMatch(PlanAndTruth::isDryRun);
        ControlPlane plane = server.plane();
        if (plane == null) {
            assertThat(objects()).isEqualTo(before);
        } else {
            // A line may come a moment after the answer.
            await().untilAsserted(() -> assertThat(AuditedWrites.of(plane.auditLog(), agent))
                    .hasSameSizeAs(writes)
                    .allMatch(AuditedWrites::isDryRun));
        }
        return report;
    }

    private static boolean isDryRun(Request request) {
        Buffer body = new Buffer();
        try {
            request.body().writeTo(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // Of a deletion with a body that alone counts.
        return request.method().equals("DELETE") && body.size() > 0
                ? body.readUtf8().contains("\"dryRun\":[\"All\"]")
                : "All".equals(request.url().queryParameter("dryRun"));
    }

    /** Makes the plan, then makes it come true, and demands that the two are the same. */
    public PlanReport check(ControllerDescriptor... controllers) {
        return check(controllers, controllers);
    }

    /**
     * The same; descriptions that serve one host only come twice. Kubernetes' own controllers, where they run, do so beside the dry
     * run, and stand still until the real run has ended: what is compared is what was written before their first write.
     */
    public PlanReport check(ControllerDescriptor[] planned, ControllerDescriptor[] real) {
        PlanReport report = plan(planned);
        ControlPlane plane = server.plane();
        if (plane != null) {
            plane.pauseControllers();
        }
        try {
            Map<String, JsonObject> before = objects();
            run(server.client(), "real-run", null, real);
            expect(report, before);
        } finally {
            if (plane != null) {
                plane.resumeControllers();
            }
        }
        return report;
    }

    /** Demands that what has become of the objects is what was planned. */
    public void expect(PlanReport report, Map<String, JsonObject> before) {
        Map<String, JsonObject> after = objects();
        Set<String> all = new TreeSet<>(before.keySet());
        all.addAll(after.keySet());
        Map<String, List<String>> truth = new TreeMap<>();
        for (String object : all) {
            List<Difference> differences =
                    Difference.between(before.get(object), after.get(object), object.startsWith("secrets "));
            if (!differences.isEmpty() && !isGarbage(object, before, after)) {
                truth.put(object, after.containsKey(object) ? comparable(differences) : List.of());
            }
        }
        Map<String, List<String>> told = report.changes().stream()
                .collect(Collectors.toMap(
                        PlanReport.Change::object, one -> comparable(one.differences()), (a, b) -> a, TreeMap::new));
        assertThat(told).as("%s", report.text()).isEqualTo(truth);
    }

    /** Whether the garbage collector has taken it after its owner: the embedded API server's cannot be stopped. */
    private static boolean isGarbage(String object, Map<String, JsonObject> before, Map<String, JsonObject> after) {
        JsonObject gone = after.containsKey(object) ? null : before.get(object);
        return gone != null
                && before.entrySet().stream()
                        .filter(other -> !after.containsKey(other.getKey()))
                        .anyMatch(other -> owners(gone).contains(metadata(other.getValue(), "uid")));
    }

    private static List<JsonElement> owners(JsonObject object) {
        return metadata(object, "ownerReferences") instanceof JsonArray owners
                ? owners.asList().stream()
                        .map(owner -> owner.getAsJsonObject().get("uid"))
                        .toList()
                : List.of();
    }

    private static @Nullable JsonElement metadata(JsonObject object, String field) {
        return object.getAsJsonObject("metadata").get(field);
    }

    /** Of what is drawn or read from a clock it is compared whether it is there: a second later is another time, or not. */
    private static List<String> comparable(List<Difference> differences) {
        return differences.stream()
                .filter(one -> !isDrawn(one) || one.before() == null || one.after() == null)
                .map(one -> isDrawn(one) ? one.field() : one.toString())
                .sorted()
                .toList();
    }

    private static boolean isDrawn(Difference one) {
        return DRAWN.matcher(one.field()).matches();
    }

    private PlanReport run(ApiClient client, String agent, @Nullable Plan plan, ControllerDescriptor... controllers) {
        try (SystemTimer timer = new SystemTimer("plan-and-truth")) {
            ApiConnection.Builder builder = ApiConnection.builder(Clock.system(), timer)
                    .apiClient(client)
                    .http(HttpSettings.DEFAULTS.withUserAgent(agent));
            try (ApiConnection connection = (plan == null ? builder : builder.dryRun(plan)).build();
                    InformerFactory informers = new InformerFactory(
                            connection,
                            Clock.system(),
                            timer,
                            InformerOptions.DEFAULTS.withNamespaces(Set.of(namespace)))) {
                Plan told = plan == null ? new Plan() : plan;
                ControllerManager manager = new ControllerManager(HostParts.of(
                        Leadership.always(connection.apiClient()),
                        new Cluster(informers, connection.monitor(), connection::observeWrites),
                        List.of(controllers).stream()
                                .map(ControllerRegistration::of)
                                .toList(),
                        name -> new PlannedEvents(name, told),
                        Clock.system(),
                        timer));
                manager.start();
                try {
                    return new PlanRun(manager, told, Duration.ofSeconds(1), LIMIT).run();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    manager.stop();
                }
            }
        }
    }

    /** Those of the collections at this moment, by type and name. */
    public Map<String, JsonObject> objects() {
        Map<String, JsonObject> objects = new TreeMap<>();
        ApiRequests requests = new ApiRequests(server.client());
        for (String collection : collections) {
            List<String> parts = new ArrayList<>(List.of(collection.split("/")));
            String plural = parts.remove(parts.size() - 1);
            String path = "/" + String.join("/", parts) + "/namespaces/" + namespace + "/" + plural;
            String type = parts.get(0).equals("api") ? plural : plural + "." + parts.get(1);
            try {
                JsonObject list = requests.send(
                        "list " + path,
                        requests.request("GET", path, List.of(), null, null),
                        answer -> JsonParser.parseString(answer.body().string()).getAsJsonObject());
                for (JsonElement item : list.getAsJsonArray("items")) {
                    JsonObject object = item.getAsJsonObject();
                    object.add("apiVersion", list.get("apiVersion"));
                    object.addProperty("kind", list.get("kind").getAsString().replaceFirst("List$", ""));
                    String name = object.getAsJsonObject("metadata").get("name").getAsString();
                    objects.put(type + " " + namespace + "/" + name, object);
                }
            } catch (ApiException e) {
                throw new IllegalStateException(e);
            }
        }
        return objects;
    }
}
