package io.controllermanager.informer.faults;

import io.kubernetes.client.openapi.ApiCallback;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** For a request whose answer nobody needs. */
final class Ignoring<T> implements ApiCallback<T> {

    @Override
    public void onFailure(ApiException e, int statusCode, @Nullable Map<String, List<String>> headers) {}

    @Override
    public void onSuccess(T result, int statusCode, Map<String, List<String>> headers) {}

    @Override
    public void onUploadProgress(long written, long length, boolean done) {}

    @Override
    public void onDownloadProgress(long read, long length, boolean done) {}
}
