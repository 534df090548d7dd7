package io.controllermanager.client.internal.connection;

import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.transport.ServerUrl;
import java.io.IOException;
import java.util.List;
import okhttp3.Response;
import okio.BufferedSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows observers the answers to writes. An answer that somebody wants is read whole here, a single object as a rule, and
 * left in the answer's buffer for the next reader.
 *
 * @param server the API server's URL, which may change
 * @param observers who is asked; may change at any time
 */
record WriteReport(ServerUrl server, List<WriteObserver> observers) implements HostInterceptor {

    private static final Logger log = LoggerFactory.getLogger(WriteReport.class);

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
        if (interested.isEmpty()) {
            return response;
        }
        byte[] answer = read(response);
        for (WriteObserver observer : interested) {
            try {
                observer.written(chain.request(), path, answer);
            } catch (Throwable e) {
                // The write has been done, and its author is to learn of it.
                log.atWarn()
                        .setCause(e)
                        .log(
                                "An observer failed to note {} {}: {}",
                                chain.request().method(),
                                chain.request().url().encodedPath(),
                                FailureMessage.of(e));
            }
        }
        return response;
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
