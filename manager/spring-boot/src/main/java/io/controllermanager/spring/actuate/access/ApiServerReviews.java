package io.controllermanager.spring.actuate.access;

import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.internal.request.FailureMessage;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AuthenticationV1Api;
import io.kubernetes.client.openapi.apis.AuthorizationV1Api;
import io.kubernetes.client.openapi.models.V1NonResourceAttributes;
import io.kubernetes.client.openapi.models.V1SubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SubjectAccessReviewSpec;
import io.kubernetes.client.openapi.models.V1TokenReview;
import io.kubernetes.client.openapi.models.V1TokenReviewSpec;
import io.kubernetes.client.openapi.models.V1TokenReviewStatus;
import io.kubernetes.client.openapi.models.V1UserInfo;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the API server, by TokenReview and SubjectAccessReview. Both need the ClusterRole {@code system:auth-delegator}.
 *
 * <p>Source: {@code k8s.io/apiserver/plugin/pkg/authenticator/token/webhook} and {@code .../authorizer/webhook}. Nothing
 * is tried twice here: those who asked ask again.
 */
public final class ApiServerReviews implements AccessReviews {

    private static final Logger log = LoggerFactory.getLogger(ApiServerReviews.class);

    private static final int FORBIDDEN = 403;

    private final AuthenticationV1Api authentication;
    private final AuthorizationV1Api authorization;
    private final BooleanSupplier connected;
    private final List<String> audiences;

    /**
     * With a client whose requests end in time.
     *
     * @param client neither fenced nor limited, since a standby answers as well
     * @param connected whether the client leads to the API server yet; no token is sent before
     * @param audiences for one of which a token must be; none for the API server's own
     */
    public ApiServerReviews(ApiClient client, BooleanSupplier connected, List<String> audiences) {
        this.authentication = new AuthenticationV1Api(client);
        this.authorization = new AuthorizationV1Api(client);
        this.connected = connected;
        this.audiences = List.copyOf(audiences);
    }

    @Override
    public @Nullable Caller authenticate(String token) throws ReviewFailedException {
        V1TokenReview review = new V1TokenReview()
                .apiVersion("authentication.k8s.io/v1")
                .kind("TokenReview")
                .spec(new V1TokenReviewSpec().token(token).audiences(audiences.isEmpty() ? null : audiences));
        Optional<Caller> caller = send(
                "tokenreviews.authentication.k8s.io",
                () -> Optional.ofNullable(caller(
                        authentication.createTokenReview(review).execute().getStatus())));
        return caller.orElse(null);
    }

    private @Nullable Caller caller(@Nullable V1TokenReviewStatus status) {
        if (status == null || !Boolean.TRUE.equals(status.getAuthenticated())) {
            log.atDebug()
                    .addKeyValue("reason", status == null ? null : status.getError())
                    .log("A token was refused");
            return null;
        }
        // An API server that knows nothing of audiences leaves them out; then nobody has checked them.
        if (!audiences.isEmpty() && Collections.disjoint(audiences, orEmpty(status.getAudiences()))) {
            log.atDebug()
                    .addKeyValue("audiences", status.getAudiences())
                    .log("A token was refused, which is for another audience");
            return null;
        }
        V1UserInfo user = status.getUser();
        if (user == null || user.getUsername() == null || user.getUsername().isEmpty()) {
            return null;
        }
        return new Caller(
                user.getUsername(),
                user.getUid(),
                orEmpty(user.getGroups()),
                user.getExtra() == null ? Map.of() : Map.copyOf(user.getExtra()));
    }

    @Override
    public boolean isAllowed(Caller caller, String verb, String path) throws ReviewFailedException {
        V1SubjectAccessReview review = new V1SubjectAccessReview()
                .apiVersion("authorization.k8s.io/v1")
                .kind("SubjectAccessReview")
                .spec(new V1SubjectAccessReviewSpec()
                        .user(caller.name())
                        .uid(caller.uid())
                        .groups(caller.groups())
                        .extra(caller.extra().isEmpty() ? null : caller.extra())
                        .nonResourceAttributes(
                                new V1NonResourceAttributes().verb(verb).path(path)));
        return send("subjectaccessreviews.authorization.k8s.io", () -> {
            var status =
                    authorization.createSubjectAccessReview(review).execute().getStatus();
            return status != null
                    && Boolean.TRUE.equals(status.getAllowed())
                    && !Boolean.TRUE.equals(status.getDenied());
        });
    }

    private interface Request<T> {
        T send() throws ApiException;
    }

    private <T> T send(String resource, Request<T> request) throws ReviewFailedException {
        if (!connected.getAsBoolean()) {
            throw new ReviewFailedException(
                    "the controller manager is starting and cannot ask the API server yet", "starting", null);
        }
        try {
            return request.send();
        } catch (ApiException e) {
            if (e.getCode() == FORBIDDEN) {
                throw new ReviewFailedException(
                        "this controller manager may not create " + resource
                                + ": its account needs the ClusterRole system:auth-delegator",
                        ApiStatus.of(e).message(),
                        e);
            }
            // No more of the answer: it may repeat what was sent.
            String detail = e.getCode() == 0 ? description(e.getCause()) : "HTTP " + e.getCode();
            throw new ReviewFailedException("the API server cannot be asked now", detail, e);
        } catch (RuntimeException e) {
            // Of the generated classes, which throw what they like at what they do not expect.
            throw new ReviewFailedException("the API server cannot be asked now", "no " + resource + " came back", e);
        }
    }

    private static String description(@Nullable Throwable cause) {
        return cause instanceof IOException ? FailureMessage.words(cause) : "no answer";
    }

    private static List<String> orEmpty(@Nullable List<String> list) {
        return list == null ? List.of() : List.copyOf(list);
    }
}
