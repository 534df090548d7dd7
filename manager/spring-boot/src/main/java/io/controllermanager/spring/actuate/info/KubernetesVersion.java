package io.controllermanager.spring.actuate.info;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.OncePerInterval;
import io.kubernetes.client.openapi.ApiCallback;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.VersionInfo;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The API server's version, as {@code GET /version} says it, which every authenticated user may ask for. It is asked for
 * only when somebody wants to know, at most once a minute, and beside: nobody waits for an API server that is away, so the
 * first answer is that it is not known. Safe for use by several threads.
 */
public final class KubernetesVersion {

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final ApiClient client;
    private final OncePerInterval questions;

    private volatile @Nullable String version;

    /** With the client that asks. */
    public KubernetesVersion(ApiClient client, Clock clock) {
        this.client = client;
        this.questions = new OncePerInterval(clock, INTERVAL);
    }

    /** Such as {@code v1.36.0}; null while it is not known. */
    public @Nullable String get() {
        if (questions.isDue()) {
            try {
                new VersionApi(client).getCode().executeAsync(new Answer());
            } catch (ApiException | RuntimeException e) {
                // It stays as it is known; that the API server cannot be reached is said elsewhere.
            }
        }
        return version;
    }

    private final class Answer implements ApiCallback<VersionInfo> {

        @Override
        public void onSuccess(VersionInfo result, int statusCode, Map<String, List<String>> responseHeaders) {
            version = result.getGitVersion();
        }

        @Override
        public void onFailure(ApiException e, int statusCode, Map<String, List<String>> responseHeaders) {
            // It stays as it is known.
        }

        @Override
        public void onUploadProgress(long bytesWritten, long contentLength, boolean done) {
            // Nothing is uploaded.
        }

        @Override
        public void onDownloadProgress(long bytesRead, long contentLength, boolean done) {
            // It is short.
        }
    }
}
