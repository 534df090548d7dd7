package io.controllermanager.app.access;

import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AuthenticationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1BoundObjectReference;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import io.kubernetes.client.openapi.models.V1TokenReview;
import io.kubernetes.client.openapi.models.V1TokenReviewSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Service accounts in a namespace, their rights on paths, and tokens of all sorts for them.
 *
 * @param plane where they are
 * @param admin a client that RBAC does not bind
 * @param namespace also what the names of cluster roles and their bindings begin with
 */
record Tokens(ControlPlane plane, ApiClient admin, String namespace) {

    private static final String ISSUER = "https://kubernetes.default.svc.cluster.local";

    /** Makes a service account, which may use a verb on paths. */
    void account(String name, String verb, String... paths) throws ApiException {
        new CoreV1Api(admin)
                .createNamespacedServiceAccount(
                        namespace, new V1ServiceAccount().metadata(new V1ObjectMeta().name(name)))
                .execute();
        if (paths.length > 0) {
            allow(name, name, verb, paths);
        }
    }

    /** Lets a service account use a verb on paths. */
    void allow(String role, String account, String verb, String... paths) throws ApiException {
        new RbacAuthorizationV1Api(admin)
                .createClusterRole(new V1ClusterRole()
                        .metadata(new V1ObjectMeta().name(unique(role)))
                        .addRulesItem(new V1PolicyRule().addVerbsItem(verb).nonResourceURLs(List.of(paths))))
                .execute();
        bind(
                role,
                unique(role),
                new RbacV1Subject().kind("ServiceAccount").name(account).namespace(namespace));
    }

    /** Binds somebody to a ClusterRole. */
    void bind(String name, String role, RbacV1Subject subject) throws ApiException {
        new RbacAuthorizationV1Api(admin)
                .createClusterRoleBinding(new V1ClusterRoleBinding()
                        .metadata(new V1ObjectMeta().name(unique(name)))
                        .roleRef(new V1RoleRef()
                                .apiGroup("rbac.authorization.k8s.io")
                                .kind("ClusterRole")
                                .name(role))
                        .addSubjectsItem(subject))
                .execute();
    }

    private String unique(String name) {
        return namespace + "-" + name;
    }

    /** A token as kubectl create token gives it. */
    String of(String account) throws ApiException {
        return request(account, null, null);
    }

    /** One for somebody else than the API server. */
    String forAudience(String account, String audience) throws ApiException {
        return request(account, audience, null);
    }

    /** One that was valid until what it was bound to went. */
    String revoked(String account) throws ApiException {
        CoreV1Api core = new CoreV1Api(admin);
        V1Secret bound = core.createNamespacedSecret(
                        namespace, new V1Secret().metadata(new V1ObjectMeta().generateName("bound-")))
                .execute();
        String name = Objects.requireNonNull(bound.getMetadata()).getName();
        String token = request(account, null, name);
        core.deleteNamespacedSecret(Objects.requireNonNull(name), namespace).execute();
        // The API server learns of it from an informer of its own, a moment later.
        await("the token is refused").until(() -> !isValid(token));
        return token;
    }

    private boolean isValid(String token) throws ApiException {
        V1TokenReview review = new AuthenticationV1Api(admin)
                .createTokenReview(new V1TokenReview().spec(new V1TokenReviewSpec().token(token)))
                .execute();
        return Boolean.TRUE.equals(Objects.requireNonNull(review.getStatus()).getAuthenticated());
    }

    /** One signed with the plane's own key, whose time ends so long from now. */
    String ending(String account, Duration fromNow) throws ApiException, IOException, GeneralSecurityException {
        String uid = Objects.requireNonNull(new CoreV1Api(admin)
                        .readNamespacedServiceAccount(account, namespace)
                        .execute()
                        .getMetadata())
                .getUid();
        Instant end = Instant.now().plus(fromNow);
        JsonObject owner = new JsonObject();
        owner.addProperty("name", account);
        owner.addProperty("uid", uid);
        JsonObject kubernetes = new JsonObject();
        kubernetes.addProperty("namespace", namespace);
        kubernetes.add("serviceaccount", owner);
        JsonArray audiences = new JsonArray();
        audiences.add(ISSUER);
        JsonObject claims = new JsonObject();
        claims.add("aud", audiences);
        claims.addProperty("exp", end.getEpochSecond());
        claims.addProperty("iat", end.minus(Duration.ofHours(1)).getEpochSecond());
        claims.addProperty("nbf", end.minus(Duration.ofHours(1)).getEpochSecond());
        claims.addProperty("iss", ISSUER);
        claims.addProperty("sub", "system:serviceaccount:" + namespace + ":" + account);
        claims.add("kubernetes.io", kubernetes);
        String signed = encode("{\"alg\":\"ES256\",\"typ\":\"JWT\"}".getBytes(StandardCharsets.UTF_8)) + "."
                + encode(claims.toString().getBytes(StandardCharsets.UTF_8));
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(signingKey());
        signature.update(signed.getBytes(StandardCharsets.US_ASCII));
        return signed + "." + encode(signature.sign());
    }

    private PrivateKey signingKey() throws IOException, GeneralSecurityException {
        String pem = Files.readString(plane.dataDir().resolve("tokens.key"));
        byte[] key = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key));
    }

    private static String encode(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private String request(String account, @Nullable String audience, @Nullable String secret) throws ApiException {
        V1TokenRequestSpec spec = new V1TokenRequestSpec()
                .expirationSeconds(600L)
                .audiences(List.of(audience == null ? ISSUER : audience));
        if (secret != null) {
            spec.boundObjectRef(
                    new V1BoundObjectReference().kind("Secret").apiVersion("v1").name(secret));
        }
        return Objects.requireNonNull(new CoreV1Api(admin)
                        .createNamespacedServiceAccountToken(
                                account, namespace, new AuthenticationV1TokenRequest().spec(spec))
                        .execute()
                        .getStatus())
                .getToken();
    }
}
