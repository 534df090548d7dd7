package io.controllermanager.app.rights;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.V1BoundObjectReference;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * What kubelet mounts at {@code /var/run/secrets/kubernetes.io/serviceaccount}: a token of the pod's service account that
 * is bound to the pod, the API server's authority and the namespace, behind the symbolic link by which all change at once.
 *
 * @param directory where the three files are
 */
record ServiceAccountVolume(Path directory) {

    /** As kubelet asks for it. */
    private static final long TOKEN_SECONDS = 3607;

    private static final List<String> FILES = List.of("token", "ca.crt", "namespace");

    /** Lays it out for a pod. */
    static ServiceAccountVolume of(V1Pod pod, ApiClient admin, String authority, Path directory)
            throws IOException, ApiException {
        Files.createDirectories(directory);
        ServiceAccountVolume volume = new ServiceAccountVolume(directory);
        volume.write(
                token(pod, admin, boundTo(pod)), authority, pod.getMetadata().getNamespace());
        for (String file : FILES) {
            Files.createSymbolicLink(directory.resolve(file), Path.of("..data", file));
        }
        return volume;
    }

    /** Replaces the token by one that is bound to a Secret of the pod's name, and returns it. */
    String mountRevocableToken(V1Pod pod, ApiClient admin) throws IOException, ApiException {
        String namespace = pod.getMetadata().getNamespace();
        V1Secret secret = new CoreV1Api(admin)
                .createNamespacedSecret(
                        namespace,
                        new V1Secret()
                                .metadata(new V1ObjectMeta()
                                        .name(pod.getMetadata().getName())))
                .execute();
        V1BoundObjectReference reference = new V1BoundObjectReference()
                .apiVersion("v1")
                .kind("Secret")
                .name(secret.getMetadata().getName())
                .uid(secret.getMetadata().getUid());
        String token = token(pod, admin, reference);
        replace(token);
        return token;
    }

    /** Replaces that token by one that is bound to the pod, and revokes it. */
    void renew(V1Pod pod, ApiClient admin) throws IOException, ApiException {
        replace(token(pod, admin, boundTo(pod)));
        new CoreV1Api(admin)
                .deleteNamespacedSecret(
                        pod.getMetadata().getName(), pod.getMetadata().getNamespace())
                .execute();
    }

    private void replace(String token) throws IOException {
        write(token, Files.readString(directory.resolve("ca.crt")), Files.readString(directory.resolve("namespace")));
    }

    /** All three change at once, since it is the link that does. */
    private void write(String token, String authority, String namespace) throws IOException {
        Path data = Files.createTempDirectory(directory, "..");
        Files.writeString(data.resolve("token"), token);
        Files.writeString(data.resolve("ca.crt"), authority);
        Files.writeString(data.resolve("namespace"), namespace);
        Path link = Files.createSymbolicLink(directory.resolve("..data_tmp"), data.getFileName());
        Files.move(link, directory.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static V1BoundObjectReference boundTo(V1Pod pod) {
        return new V1BoundObjectReference()
                .apiVersion("v1")
                .kind("Pod")
                .name(pod.getMetadata().getName())
                .uid(pod.getMetadata().getUid());
    }

    private static String token(V1Pod pod, ApiClient admin, V1BoundObjectReference boundTo) throws ApiException {
        V1TokenRequestSpec spec = new V1TokenRequestSpec()
                .audiences(List.of())
                .expirationSeconds(TOKEN_SECONDS)
                .boundObjectRef(boundTo);
        return new CoreV1Api(admin)
                .createNamespacedServiceAccountToken(
                        pod.getSpec().getServiceAccountName(),
                        pod.getMetadata().getNamespace(),
                        new AuthenticationV1TokenRequest().spec(spec))
                .execute()
                .getStatus()
                .getToken();
    }
}
