package io.controllermanager.client.internal.connection;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.TypeAdapter;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.transport.ServerUrl;
import java.io.IOException;
import java.util.List;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows observers the answers to writes. An answer that somebody wants is read whole here, a single object as a rule, and
 * parsed once. Its bytes stay in the answer's buffer for the next reader. One who reads the tree instead finds it as a tag of
 * the answer's request, of the class {@link JsonObject}.
 *
 * @param server the API server's URL, which may change
 * @param observers who is asked; may change at any time
 */
record WriteReport(ServerUrl server, List<WriteObserver> observers) implements HostInterceptor {

    private static final Logger log = LoggerFactory.getLogger(WriteReport.class);

    private static final TypeAdapter<JsonElement> TREES = ApiJson.adapter(JsonElement.class);

    @Override
    public Response intercept(Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        if (!HostInterceptor.mutates(chain.request())
                || !response.isSuccessful()
                || !isJson(response)
                || response.header("Content-Encoding") != null) {
            return response;
        }
        ResourcePath path = ResourcePath.of(chain.request().url(), server.get());
        if (path == null) {
            return response;
        }
        List<WriteObserver> interested = observers.stream()
                .filter(observer -> observer.observes(chain.request(), path))
                .toList();
        JsonObject answer = interested.isEmpty() ? null : parsed(chain.request(), read(response));
        if (answer == null) {
            return response;
        }
        for (WriteObserver observer : interested) {
            try {
                observer.written(chain.request(), path, answer);
            } catch (Throwable e) {
                warn(chain.request(), e);
            }
        }
        Request request =
                response.request().newBuilder().tag(JsonObject.class, answer).build();
        return response.newBuilder().request(request).build();
    }

    private static @Nullable JsonObject parsed(Request request, byte[] text) {
        try {
            return ApiJson.read(text, TREES) instanceof JsonObject object ? object : null;
        } catch (IOException | RuntimeException e) {
            warn(request, e);
            return null;
        }
    }

    /** The write has been done, and its author is to learn of it. */
    private static void warn(Request request, Throwable e) {
        log.atWarn()
                .setCause(e)
                .log(
                        "An observer failed to note {} {}: {}",
                        request.method(),
                        request.url().encodedPath(),
                        FailureMessage.of(e));
    }

    /** Reads an answer, and puts it back for the next reader. */
    private static byte[] read(Response response) throws IOException {
        try {
            BufferedSource body = response.body().source();
            byte[] answer = body.readByteArray();
            body.getBuffer().write(answer);
            return answer;
        } catch (IOException e) {
            response.close();
            throw e;
        }
    }

    private static boolean isJson(Response response) {
        String type = response.header("Content-Type");
        if (type == null) {
            // An interceptor of the application may have made the answer, and given its body a type alone.
            type = String.valueOf(response.body().contentType());
        }
        return type.equals(ApiRequests.JSON) || type.startsWith(ApiRequests.JSON + ";");
    }
}
