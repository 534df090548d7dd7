package io.controllermanager.testing.controllers;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.controllermanager.recorder.EventRecorder;
import io.controllermanager.recorder.internal.PlannedEvents;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import okio.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a dry run tells with what a real run then does, by object and field, in one namespace. Names that the API server
 * makes, uids, times and what the API server alone writes are left out.
 */
public final class PlanAndTruth {

    private static final Duration LIMIT = Duration.ofMinutes(1);

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

    /** The plan, after it was seen to have changed nothing. */
    public PlanReport plan(ControllerDescriptor... controllers) {
        Map<String, JsonObject> before = objects();
        List<String> undry = new CopyOnWriteArrayList<>();
        ApiClient client = server.client();
        client.setHttpClient(client.getHttpClient()
                .newBuilder()
                .addNetworkInterceptor(chain -> {
                    boolean read = chain.request().method().equals("GET");
                    Buffer body = new Buffer();
                    if (!read) {
                        chain.request().body().writeTo(body);
                    }
                    // Of a deletion with a body that alone counts.
                    boolean dry = chain.request().method().equals("DELETE") && body.size() > 0
                            ? body.readUtf8().contains("\"dryRun\":[\"All\"]")
                            : "All".equals(chain.request().url().queryParameter("dryRun"));
                    if (!read && !dry) {
                        undry.add(chain.request().toString());
                    }
                    return chain.proceed(chain.request());
                })
                .build());
        PlanReport report = run(client, new Plan(), controllers);
        assertThat(undry).isEmpty();
        assertThat(objects()).isEqualTo(before);
        return report;
    }

    /** Makes the plan, then makes it come true, and demands that the two are the same. */
    public PlanReport check(ControllerDescriptor... controllers) {
        return check(controllers, controllers);
    }

    /** The same; descriptions that serve one host only come twice. */
    public PlanReport check(ControllerDescriptor[] planned, ControllerDescriptor[] real) {
        PlanReport report = plan(planned);
        Map<String, JsonObject> before = objects();
        run(server.client(), null, real);
        Map<String, JsonObject> after = objects();
        Set<String> all = new TreeSet<>(before.keySet());
        all.addAll(after.keySet());
        Map<String, List<String>> truth = new TreeMap<>();
        for (String object : all) {
            List<Difference> differences =
                    Difference.between(before.get(object), after.get(object), object.startsWith("secrets "));
            if (!differences.isEmpty()) {
                truth.put(object, after.containsKey(object) ? comparable(differences) : List.of());
            }
        }
        Map<String, List<String>> told = report.changes().stream()
                .collect(Collectors.toMap(
                        PlanReport.Change::object, one -> comparable(one.differences()), (a, b) -> a, TreeMap::new));
        assertThat(told).as("%s", report.text()).isEqualTo(truth);
        return report;
    }

    private static List<String> comparable(List<Difference> differences) {
        return differences.stream()
                .filter(one -> !one.field().matches(".*(uid|[tT]ime|Timestamp)"))
                .map(Difference::toString)
                .sorted()
                .toList();
    }

    private PlanReport run(ApiClient client, @Nullable Plan plan, ControllerDescriptor... controllers) {
        try (SystemTimer timer = new SystemTimer("plan-and-truth")) {
            ApiConnection.Builder builder = ApiConnection.builder(Clock.system(), timer)
                    .apiClient(client)
                    .http(HttpSettings.DEFAULTS.withUserAgent("plan-and-truth"));
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
                        name -> recorder(name, told),
                        Clock.system(),
                        timer));
                manager.start();
                try {
                    return new PlanRun(manager, told, Clock.system(), timer, Duration.ofSeconds(1), LIMIT).run();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    manager.stop();
                }
            }
        }
    }

    private static EventRecorder recorder(String name, Plan plan) {
        return new PlannedEvents(name, plan);
    }

    private Map<String, JsonObject> objects() {
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
