package io.controllermanager.testing.apiserver.rights;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.json.Json;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What a controller says that it may do: the resource {@code META-INF/controller-manager/rbac/<name>.yaml} of its module,
 * from which the chart makes a role.
 *
 * <pre>{@code
 * DeclaredRights.of("website").grantTo("system:serviceaccount:default:website", server.client());
 * }</pre>
 *
 * @param controller its name
 * @param text the resource as it is written
 */
public record DeclaredRights(String controller, String text) {

    private static final String FOLDER = "META-INF/controller-manager/rbac";
    private static final String SUFFIX = ".yaml";
    private static final String GROUP = "rbac.authorization.k8s.io";
    private static final String VERSION = "v1";

    /**
     * Those of all controllers on the class path, in the order of their names: of the application's own modules and of the
     * libraries that it depends on.
     */
    public static List<DeclaredRights> all() {
        ClassLoader loader = Objects.requireNonNullElse(
                Thread.currentThread().getContextClassLoader(), DeclaredRights.class.getClassLoader());
        List<DeclaredRights> all = new ArrayList<>();
        try {
            for (URL folder : Collections.list(loader.getResources(FOLDER))) {
                if (folder.openConnection() instanceof JarURLConnection jar) {
                    try (FileSystem files = FileSystems.newFileSystem(
                            Path.of(jar.getJarFileURL().toURI()))) {
                        read(files.getPath(FOLDER), all);
                    }
                } else {
                    read(Path.of(folder.toURI()), all);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        all.sort(Comparator.comparing(DeclaredRights::controller));
        return all;
    }

    private static void read(Path folder, List<DeclaredRights> all) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName().toString();
                if (name.endsWith(SUFFIX)) {
                    all.add(new DeclaredRights(
                            name.substring(0, name.length() - SUFFIX.length()), Files.readString(file)));
                }
            }
        }
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
                        "There is no " + FOLDER + "/" + controller + SUFFIX + " on the class path"));
    }

    /** Whether {@code *} in the list of controllers includes it, as in its description. */
    public boolean enabledByDefault() {
        return content().path("enabledByDefault").asBoolean(true);
    }

    /**
     * What it may do where its objects live, Events and Leases not counted, which are the host's.
     *
     * @throws IllegalArgumentException if there is no list of rules
     */
    public List<V1PolicyRule> rules() {
        JsonNode rules = content().path("rules");
        if (!rules.isArray()) {
            throw new IllegalArgumentException(FOLDER + "/" + controller + SUFFIX + " has no list called rules");
        }
        List<V1PolicyRule> all = new ArrayList<>();
        for (JsonNode rule : rules) {
            try {
                all.add(V1PolicyRule.fromJson(rule.toString()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return all;
    }

    private JsonNode content() {
        try {
            return Json.readYaml(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalArgumentException(FOLDER + "/" + controller + SUFFIX + " is no YAML", e);
        }
    }

    /**
     * Lets a user do this and write Events, in all namespaces: by a ClusterRole {@code declared-<controller>} and a binding
     * for each user. Leader election needs more, so that a test switches it off.
     *
     * @param user such as {@code system:serviceaccount:NAMESPACE:NAME}
     * @param administrator a client that may write roles
     */
    public void grantTo(String user, ApiClient administrator) throws ApiException {
        String role = "declared-" + controller;
        List<V1PolicyRule> granted = new ArrayList<>(rules());
        granted.add(new V1PolicyRule()
                .addApiGroupsItem("events.k8s.io")
                .addResourcesItem("events")
                .addVerbsItem("create")
                .addVerbsItem("patch"));
        String rules = JSON.serialize(granted);
        apply(administrator, "clusterroles", role, """
                {"apiVersion": "%s/%s", "kind": "ClusterRole", "metadata": {"name": "%s"}, "rules": %s}
                """.formatted(GROUP, VERSION, role, rules));
        String binding = role + ":" + user;
        apply(administrator, "clusterrolebindings", binding, """
                {"apiVersion": "%1$s/%2$s", "kind": "ClusterRoleBinding", "metadata": {"name": "%3$s"},
                 "roleRef": {"apiGroup": "%1$s", "kind": "ClusterRole", "name": "%4$s"},
                 "subjects": [{"apiGroup": "%1$s", "kind": "User", "name": "%5$s"}]}
                """.formatted(GROUP, VERSION, binding, role, user));
    }

    private static void apply(ApiClient client, String plural, String name, String object) throws ApiException {
        PatchOptions options = new PatchOptions();
        options.setFieldManager("declared-rights");
        options.setForce(true);
        new DynamicKubernetesApi(GROUP, VERSION, plural, client)
                .patch(name, V1Patch.PATCH_FORMAT_APPLY_YAML, new V1Patch(object), options)
                .throwsApiException();
    }
}
