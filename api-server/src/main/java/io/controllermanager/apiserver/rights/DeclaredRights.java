package io.controllermanager.apiserver.rights;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.io.Files;
import com.google.gson.reflect.TypeToken;
import io.controllermanager.apiserver.json.Manifests;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What a controller says that it may do: the resource {@code META-INF/controller-manager/rbac/<name>.yaml} of its module,
 * from which the chart makes a role.
 *
 * <pre>{@code
 * DeclaredRights.of("website").grantTo("system:serviceaccount:default:website", server.client());
 * }</pre>
 *
 * @param controller its name
 * @param content what the resource says
 */
public record DeclaredRights(String controller, ObjectNode content) {

    private static final String FOLDER = "META-INF/controller-manager/rbac/";
    private static final String SUFFIX = ".yaml";
    private static final String GROUP = "rbac.authorization.k8s.io";
    private static final String VERSION = "v1";

    /**
     * Those of all controllers on the class path, in the order of their names: of the application's own modules and of the
     * libraries that it depends on.
     */
    public static List<DeclaredRights> all() {
        return Manifests.find("classpath:" + FOLDER + "*" + SUFFIX).stream()
                .map(document ->
                        new DeclaredRights(Files.getNameWithoutExtension(document.source()), document.content()))
                .sorted(Comparator.comparing(DeclaredRights::controller))
                .toList();
    }

    /**
     * Those of one controller.
     *
     * @throws IllegalArgumentException if it declares none on the class path
     */
    public static DeclaredRights of(String controller) {
        return all().stream()
                .filter(rights -> rights.controller().equals(controller))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "There is no " + FOLDER + controller + SUFFIX + " on the class path"));
    }

    /** Whether {@code *} in the list of controllers includes it, as in its description. */
    public boolean enabledByDefault() {
        return content.path("enabledByDefault").asBoolean(true);
    }

    /**
     * What it may do where its objects live, Events and Leases not counted, which are the host's.
     *
     * @throws IllegalArgumentException if there is no list of rules
     */
    public List<V1PolicyRule> rules() {
        checkArgument(content.path("rules").isArray(), "%s has no list called rules", FOLDER + controller + SUFFIX);
        return section("rules");
    }

    /** What it may do in the namespace of the controller manager itself, which is that of its Lease; most need nothing there. */
    public List<V1PolicyRule> hostRules() {
        return section("hostRules");
    }

    /** What it may do in the whole cluster, whichever namespaces are watched: with what has no namespace, for webhooks. */
    public List<V1PolicyRule> clusterRules() {
        return section("clusterRules");
    }

    private List<V1PolicyRule> section(String name) {
        String rules = content.path(name).isArray() ? content.path(name).toString() : "[]";
        return JSON.deserialize(rules, new TypeToken<List<V1PolicyRule>>() {}.getType());
    }

    /**
     * Lets a user do this and write Events, in all namespaces: by a ClusterRole {@code declared-<controller>} and a binding
     * for each user. What it may do in the host's namespace is granted in {@code default}, which is that of a test's host.
     * Leader election needs more, so that a test switches it off.
     *
     * @param user such as {@code system:serviceaccount:NAMESPACE:NAME}
     * @param administrator a client that may write roles
     */
    public void grantTo(String user, ApiClient administrator) throws ApiException {
        String role = "declared-" + controller;
        List<V1PolicyRule> granted = new ArrayList<>(rules());
        granted.addAll(clusterRules());
        granted.add(new V1PolicyRule()
                .addApiGroupsItem("events.k8s.io")
                .addResourcesItem("events")
                .addVerbsItem("create")
                .addVerbsItem("patch"));
        grant(administrator, "ClusterRole", role, granted, user);
        if (!hostRules().isEmpty()) {
            grant(administrator, "Role", role, hostRules(), user);
        }
    }

    private static void grant(ApiClient client, String kind, String role, List<V1PolicyRule> rules, String user)
            throws ApiException {
        apply(client, kind, role, """
                {"apiVersion": "%s/%s", "kind": "%s", "metadata": {"name": "%s"}, "rules": %s}
                """.formatted(GROUP, VERSION, kind, role, JSON.serialize(rules)));
        String binding = role + ":" + user;
        apply(client, kind + "Binding", binding, """
                {"apiVersion": "%1$s/%2$s", "kind": "%6$sBinding", "metadata": {"name": "%3$s"},
                 "roleRef": {"apiGroup": "%1$s", "kind": "%6$s", "name": "%4$s"},
                 "subjects": [{"apiGroup": "%1$s", "kind": "User", "name": "%5$s"}]}
                """.formatted(GROUP, VERSION, binding, role, user, kind));
    }

    private static void apply(ApiClient client, String kind, String name, String object) throws ApiException {
        PatchOptions options = new PatchOptions();
        options.setFieldManager("declared-rights");
        options.setForce(true);
        DynamicKubernetesApi api =
                new DynamicKubernetesApi(GROUP, VERSION, kind.toLowerCase(Locale.ROOT) + "s", client);
        V1Patch patch = new V1Patch(object);
        (kind.startsWith("Cluster")
                        ? api.patch(name, V1Patch.PATCH_FORMAT_APPLY_YAML, patch, options)
                        : api.patch("default", name, V1Patch.PATCH_FORMAT_APPLY_YAML, patch, options))
                .throwsApiException();
    }
}
