package io.controllermanager.app.support;

import static org.awaitility.Awaitility.await;

import com.google.gson.Gson;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.ApiextensionsV1Api;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinitionStatus;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.generic.KubernetesApiResponse;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Applies the manifests of {@code config/}, without kubectl, which a fresh machine need not have. */
public final class Manifests {

    private Manifests() {}

    /** Creates the CRDs and, once they are served, the samples, in the namespace {@code default}. */
    public static void applyAll(Path kubeconfig) throws IOException, ApiException {
        applyAll(Config.fromConfig(kubeconfig.toString()), "default");
    }

    /** Creates the CRDs, where they are not there yet, and, once they are served, the samples in a namespace. */
    public static void applyAll(ApiClient client, String namespace) throws IOException, ApiException {
        Path config = configDirectory();
        applyCrds(client, config);
        for (Path sample : yamlFiles(config.resolve("samples"))) {
            apply(client, namespace, sample);
        }
    }

    /** Creates the CRDs, where they are not there yet, and waits until they are served. */
    public static void applyCrds(ApiClient client, Path config) throws IOException, ApiException {
        for (Path crd : yamlFiles(config.resolve("crd/bases"))) {
            apply(client, crd);
        }
        ApiextensionsV1Api crds = new ApiextensionsV1Api(client);
        await("CRDs are established")
                .until(() -> crds.listCustomResourceDefinition().execute().getItems().stream()
                        .allMatch(Manifests::isEstablished));
    }

    private static boolean isEstablished(V1CustomResourceDefinition crd) {
        V1CustomResourceDefinitionStatus status = crd.getStatus();
        return status != null
                && status.getConditions() != null
                && status.getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Established")
                                && condition.getStatus().equals("True"));
    }

    /** The folder {@code config} of this project, from wherever in it this runs. */
    public static Path configDirectory() {
        Path start = Path.of("").toAbsolutePath();
        for (Path folder = start; folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("config/crd/bases"))) {
                return folder.resolve("config");
            }
        }
        throw new IllegalStateException("No config/crd/bases in " + start + " or above");
    }

    /** Creates what a file holds; in the namespace {@code default} unless it names one. */
    public static void apply(ApiClient client, Path file) throws IOException, ApiException {
        apply(client, "default", file);
    }

    /** Creates what a file holds; in the given namespace unless it names one. */
    public static void apply(ApiClient client, String namespace, Path file) throws IOException, ApiException {
        for (YamlDocument document : YamlDocument.all(Files.readString(file))) {
            if (!"Kustomization".equals(document.at("kind"))) {
                create(client, namespace, object(document));
            }
        }
    }

    /** Not by client-java's Dynamics, whose one YAML parser serves one thread at a time. */
    private static DynamicKubernetesObject object(YamlDocument document) {
        return new DynamicKubernetesObject(
                new Gson().toJsonTree(document.content()).getAsJsonObject());
    }

    private static void create(ApiClient client, String namespace, DynamicKubernetesObject object) throws ApiException {
        String apiVersion = object.getApiVersion();
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        // Good enough for the kinds in config/.
        String plural = object.getKind().toLowerCase(Locale.ROOT) + "s";
        boolean cluster = object.getKind().equals("CustomResourceDefinition");
        if (!cluster && object.getMetadata().getNamespace() == null) {
            object.setMetadata(object.getMetadata().namespace(namespace));
        }
        KubernetesApiResponse<DynamicKubernetesObject> answer =
                new DynamicKubernetesApi(group, apiVersion.substring(slash + 1), plural, client).create(object);
        boolean shared = cluster && answer.getHttpStatusCode() == HttpURLConnection.HTTP_CONFLICT;
        if (!shared) {
            answer.throwsApiException();
        }
    }

    private static List<Path> yamlFiles(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .filter(file -> !file.endsWith("kustomization.yaml"))
                    .sorted()
                    .toList();
        }
    }
}
