package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.RequestTrail;
import io.controllermanager.client.internal.request.BoundedMap;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.transport.ServerUrl;
import io.controllermanager.workqueue.internal.Cause;
import io.kubernetes.client.openapi.ApiClient;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/**
 * Traces each request that is sent while its thread does something that is traced, such as a reconcile, as a part of that, and
 * tells the API server. It remembers which request made which version of an object. Safe for use by several threads.
 */
final class RequestSpans implements ApiClientCustomizer {

    /** Of the last requests: what they have made comes back by a watch soon. */
    private static final int REMEMBERED = 1_000;

    private final Tracer tracer;
    private final Propagator propagator;

    /** By type, key and version of the object. */
    private final Map<List<String>, TraceContext> writers = Collections.synchronizedMap(new BoundedMap<>(REMEMBERED));

    RequestSpans(Tracer tracer, Propagator propagator) {
        this.tracer = tracer;
        this.propagator = propagator;
    }

    @Override
    public void customize(ApiClient client) {
        ServerUrl server = new ServerUrl(client::getBasePath);
        OkHttpClient.Builder http = client.getHttpClient().newBuilder();
        // The outermost: waits for a limit and repetitions belong to the request.
        http.interceptors()
                .add(0, chain -> tracer.currentSpan() == null ? chain.proceed(chain.request()) : trace(chain, server));
        client.setHttpClient(http.build());
    }

    private Response trace(Interceptor.Chain chain, ServerUrl server) throws IOException {
        Request request = chain.request();
        Span span = tracer.spanBuilder()
                .kind(Span.Kind.CLIENT)
                .name(RequestTrail.summary(request, ResourcePath.of(request.url(), server.get())))
                .tag("http.request.method", request.method())
                .tag("url.path", request.url().encodedPath())
                .start();
        Request.Builder told = request.newBuilder();
        propagator.inject(span.context(), told, (carrier, name, value) -> told.header(name, value));
        try {
            Response response = chain.proceed(told.build());
            span.tag("http.response.status_code", response.code());
            RequestTrail.Version made = RequestTrail.made();
            if (made != null) {
                String type = made.path().type().toString();
                writers.put(List.of(type, made.key(), made.resourceVersion()), span.context());
            }
            return response;
        } catch (IOException | RuntimeException e) {
            span.error(e);
            throw e;
        } finally {
            span.end();
        }
    }

    /** Links a span to the request of this process that made what the cause tells of, where one is known. */
    void link(Span.Builder span, Cause cause) {
        String version = cause.version();
        TraceContext writer = version == null ? null : writers.get(List.of(cause.source(), cause.key(), version));
        if (writer != null) {
            span.addLink(new Link(writer));
        }
    }
}
