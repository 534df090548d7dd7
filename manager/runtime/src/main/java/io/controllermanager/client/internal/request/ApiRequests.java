package io.controllermanager.client.internal.request;

import com.google.gson.JsonParseException;
import io.controllermanager.client.internal.transport.ServerUrl;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/**
 * Requests by path, with an {@link ApiClient}'s server, credentials and connections, and its errors as {@link
 * RequestFailedException}s. For what has a {@code ResourceType}, a {@code ResourceClient} is handier. Safe for use by
 * several threads.
 */
public final class ApiRequests {

    private static final String[] CREDENTIALS = {"BearerToken"};

    /** May be sent without a body; others then get an empty one. */
    private static final Set<String> BODILESS = Set.of("GET", "HEAD", "DELETE");

    /** The content type of objects. */
    public static final String JSON = "application/json";

    private static final MediaType JSON_TYPE = MediaType.get(JSON);

    private final ApiClient client;
    private final ServerUrl server;

    /** Sends through the client, as that is configured when a request is made. */
    public ApiRequests(ApiClient client) {
        this.client = client;
        this.server = new ServerUrl(client::getBasePath);
    }

    /** Reads an answer's body. */
    @FunctionalInterface
    public interface Reading<R> {

        /** Reads the answer, whose status is a success; it is closed afterwards. */
        R read(Response response) throws IOException;
    }

    /**
     * Reads the answer to its end and drops it, for whoever needs to know no more than that it was a success. One that is
     * closed unread has HTTP/2 cancel the stream.
     */
    public static long drop(Response response) throws IOException {
        return response.body().source().readAll(Okio.blackhole());
    }

    /**
     * Builds a request. It has the client's address, credentials and default headers; not built by the client itself, which
     * would parse the whole URL, twice, and label the body with a character set that some patch types forbid.
     *
     * @param method the HTTP method
     * @param path from the server's root, with a leading slash
     * @param query the query's parameters
     * @param contentType of the body, null if there is none
     * @param body the body, null if there is none
     */
    public Request request(
            String method, String path, List<Pair> query, @Nullable String contentType, byte @Nullable [] body)
            throws ApiException {
        List<Pair> parameters = new ArrayList<>(query);
        Map<String, String> headers = new HashMap<>();
        headers.put("Accept", JSON);
        Map<String, String> cookies = new HashMap<>();
        client.updateParamsForAuth(CREDENTIALS, parameters, headers, cookies, "", method, null);
        // A client that was not told its server has others to choose from, and may have none.
        HttpUrl root = client.getServerIndex() == null ? server.get() : null;
        HttpUrl.Builder url = root == null
                ? HttpUrl.get(client.buildUrl(null, path, List.of(), List.of())).newBuilder()
                : root.newBuilder().addEncodedPathSegments(path.substring(1));
        parameters.forEach(parameter -> url.addQueryParameter(parameter.getName(), parameter.getValue()));
        Request.Builder request = new Request.Builder().url(url.build());
        client.processHeaderParams(headers, request);
        client.processCookieParams(cookies, request);
        return request.method(method, body(method, contentType, body)).build();
    }

    private static @Nullable RequestBody body(String method, @Nullable String contentType, byte @Nullable [] body) {
        if (body == null) {
            return BODILESS.contains(method) ? null : RequestBody.create(new byte[0]);
        }
        MediaType type = JSON.equals(contentType) ? JSON_TYPE : MediaType.parse(String.valueOf(contentType));
        return RequestBody.create(body, type);
    }

    /** What a URL of the client's server is for; null if it is not one of a collection or an object. */
    public @Nullable ResourcePath path(HttpUrl url) {
        return ResourcePath.of(url, server.get());
    }

    /** A call that sends the request when executed. */
    public Call call(Request request) {
        return client.getHttpClient().newCall(request);
    }

    /**
     * Sends a request and reads its answer.
     *
     * @param what what is being tried, such as {@code create foos.example.com default/a}, for the message of an error
     * @throws RequestFailedException if no answer comes or it is no success
     */
    public <R> R send(String what, Request request, Reading<R> reading) throws RequestFailedException {
        try (Response response = call(request).execute()) {
            if (!response.isSuccessful()) {
                throw failure(what, response);
            }
            return reading.read(response);
        } catch (IOException | JsonParseException e) {
            throw failure(what, e);
        }
    }

    /** The error for a call that got no usable answer. */
    public static RequestFailedException failure(String what, Exception cause) {
        return new RequestFailedException(what + ": " + FailureMessage.words(cause), cause, 0, Map.of(), null);
    }

    /**
     * The error for a failure that came within an answer, as a watch's ERROR event does.
     *
     * @param retryAfterSeconds how long the API server asks to be left alone, null if it does not
     */
    public static RequestFailedException failure(
            String what, int code, String message, @Nullable Integer retryAfterSeconds) {
        Map<String, List<String>> headers =
                retryAfterSeconds == null ? Map.of() : Map.of("Retry-After", List.of(retryAfterSeconds.toString()));
        return new RequestFailedException(what + ": " + message, null, code, headers, null);
    }

    /** The error for an answer that is no success; reads and closes the answer. */
    public static RequestFailedException failure(String what, Response response) {
        String body;
        try (response) {
            body = response.body().string();
        } catch (IOException e) {
            body = "";
        }
        return new RequestFailedException(
                what + ": " + FailureMessage.answer(response.code(), body),
                null,
                response.code(),
                response.headers().toMultimap(),
                body);
    }
}
