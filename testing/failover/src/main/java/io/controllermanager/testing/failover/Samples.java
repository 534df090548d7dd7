package io.controllermanager.testing.failover;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Foos, Networks and Websites: makes, changes and deletes them, and can say which are not as their controllers have them. */
final class Samples {

    private static final String NAMESPACE = "default";
    private static final int MOST_REPLICAS = 10;

    /** A kind of object. */
    private enum Kind {
        FOO("samplecontroller.k8s.io", "v1alpha1", "Foo", "foos", 64),
        NETWORK("sample.k8s.io", "v1", "Network", "networks", 64),
        WEBSITE("example.com", "v1", "Website", "websites", 24);

        private final String group;
        private final String version;
        private final String kind;
        private final String plural;
        private final int many;

        Kind(String group, String version, String kind, String plural, int many) {
            this.group = group;
            this.version = version;
            this.kind = kind;
            this.plural = plural;
            this.many = many;
        }
    }

    private final Random random;
    private final Map<Kind, DynamicKubernetesApi> apis = new HashMap<>();
    private final DynamicKubernetesApi deployments;
    private final DynamicKubernetesApi configMaps;
    private final DynamicKubernetesApi services;
    private int made;

    Samples(ApiClient client, long seed) {
        this.random = new Random(seed);
        for (Kind kind : Kind.values()) {
            apis.put(kind, new DynamicKubernetesApi(kind.group, kind.version, kind.plural, client));
        }
        this.deployments = new DynamicKubernetesApi("apps", "v1", "deployments", client);
        this.configMaps = new DynamicKubernetesApi("", "v1", "configmaps", client);
        this.services = new DynamicKubernetesApi("", "v1", "services", client);
    }

    private DynamicKubernetesApi api(Kind kind) {
        return Objects.requireNonNull(apis.get(kind));
    }

    /** Creates as many as there may be. */
    void fill() throws ApiException {
        for (Kind kind : Kind.values()) {
            for (int i = 0; i < kind.many; i++) {
                create(kind);
            }
        }
    }

    /** So many creations, changes and deletions of any of them. */
    void write(int count) throws ApiException {
        Map<Kind, List<String>> names = new HashMap<>();
        for (Kind kind : Kind.values()) {
            names.put(kind, new ArrayList<>(list(api(kind)).keySet()));
        }
        for (int i = 0; i < count; i++) {
            Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
            List<String> present = Objects.requireNonNull(names.get(kind));
            int chance = random.nextInt(100);
            if (chance < 15 && present.size() < kind.many + 16) {
                present.add(create(kind));
            } else if (chance < 30 && present.size() > kind.many - 16) {
                api(kind)
                        .delete(NAMESPACE, present.remove(random.nextInt(present.size())))
                        .throwsApiException();
            } else {
                JsonObject patch = new JsonObject();
                patch.add("spec", spec(kind));
                api(kind)
                        .patch(
                                NAMESPACE,
                                present.get(random.nextInt(present.size())),
                                V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH,
                                new V1Patch(patch.toString()))
                        .throwsApiException();
            }
        }
    }

    private String create(Kind kind) throws ApiException {
        String name = String.format("%s-%05d", kind.plural, made++);
        JsonObject object = JsonParser.parseString("""
                {"apiVersion": "%s/%s", "kind": "%s", "metadata": {"namespace": "%s", "name": "%s"}}""".formatted(kind.group, kind.version, kind.kind, NAMESPACE, name))
                .getAsJsonObject();
        JsonObject spec = spec(kind);
        if (kind == Kind.FOO) {
            spec.addProperty("deploymentName", name);
        } else if (kind == Kind.WEBSITE) {
            spec.addProperty("host", name + ".example.com");
        }
        object.add("spec", spec);
        api(kind).create(new DynamicKubernetesObject(object)).throwsApiException();
        return name;
    }

    /** What a change changes. */
    private JsonObject spec(Kind kind) {
        JsonObject spec = new JsonObject();
        switch (kind) {
            case FOO -> spec.addProperty("replicas", 1 + random.nextInt(MOST_REPLICAS));
            case NETWORK ->
                spec.addProperty("cidr", "10.%d.0.0/%d".formatted(random.nextInt(200), 17 + random.nextInt(10)));
            case WEBSITE -> {
                spec.addProperty("replicas", 1 + random.nextInt(4));
                spec.addProperty("html", "<h1>" + random.nextInt() + "</h1>");
            }
        }
        return spec;
    }

    /** Those that are not right; their kinds and names. */
    List<String> wrong() throws ApiException {
        Map<String, JsonObject> deployed = list(deployments);
        Map<String, JsonObject> configured = list(configMaps);
        Map<String, JsonObject> served = list(services);
        List<String> wrong = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            list(api(kind)).forEach((name, object) -> {
                JsonObject spec = object.getAsJsonObject("spec");
                JsonObject deployment = deployed.get(name);
                boolean scaled = Objects.equals(value(deployment, "spec", "replicas"), value(spec, "replicas"))
                        && ownedBy(deployment, object);
                boolean right = switch (kind) {
                    case FOO -> scaled && "0".equals(value(object, "status", "availableReplicas"));
                    case NETWORK -> capacity(spec).equals(value(object, "status", "capacity"));
                    case WEBSITE ->
                        scaled
                                && ownedBy(served.get(name), object)
                                && Objects.equals(
                                        value(configured.get(name), "data", "index.html"), value(spec, "html"));
                };
                if (!right) {
                    wrong.add(kind.kind + " " + name);
                }
            });
        }
        return wrong;
    }

    private static String capacity(JsonObject network) {
        String cidr = String.valueOf(value(network, "cidr"));
        return Long.toString((1L << (32 - Integer.parseInt(cidr.substring(cidr.indexOf('/') + 1)))) - 2);
    }

    private static boolean ownedBy(@Nullable JsonObject child, JsonObject owner) {
        String uid = String.valueOf(value(owner, "metadata", "uid"));
        return child != null
                && String.valueOf(child.getAsJsonObject("metadata").get("ownerReferences"))
                        .contains(uid);
    }

    /** The text of what is found by the names, null if there is nothing. */
    private static @Nullable String value(@Nullable JsonElement in, String... path) {
        JsonElement at = in;
        for (String name : path) {
            at = at instanceof JsonObject object ? object.get(name) : null;
        }
        return at == null || !at.isJsonPrimitive() ? null : at.getAsString();
    }

    private static Map<String, JsonObject> list(DynamicKubernetesApi api) throws ApiException {
        Map<String, JsonObject> byName = new HashMap<>();
        api.list(NAMESPACE)
                .throwsApiException()
                .getObject()
                .getItems()
                .forEach(object -> byName.put(object.getMetadata().getName(), object.getRaw()));
        return byName;
    }
}
