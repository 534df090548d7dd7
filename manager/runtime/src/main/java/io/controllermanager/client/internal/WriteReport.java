package io.controllermanager.client.internal;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import okhttp3.MediaType;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows observers the answers to writes. An answer that somebody wants is read whole here, a single object as a rule, and
 * handed on from memory.
 *
 * @param server the API server's URL, which may change
 * @param observers who is asked; may change at any time
 */
record WriteReport(Supplier<String> server, List<WriteObserver> observers) implements HostInterceptor {

    private static final Logger log = LoggerFactory.getLogger(WriteReport.class);

    @Override
    public Response intercept(Chain chain) throws IOException {
        Response response = chain.proceed(chain.request());
        if (!HostInterceptor.mutates(chain.request())
                || !response.isSuccessful()
                || !isJson(response.body().contentType())
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
        MediaType type = response.body().contentType();
        byte[] answer = response.body().bytes();
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
        return response.newBuilder().body(ResponseBody.create(answer, type)).build();
    }

    private static boolean isJson(@Nullable MediaType type) {
        return type != null
                && type.type().equals("application")
                && type.subtype().equals("json");
    }
}
