package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.transport.ServerUrl;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestTrailTest {

    private static final String COLLECTION = "https://server/api/v1/namespaces/n/configmaps";

    private final RequestTrail trail = new RequestTrail(
            path -> new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace("n").name("a").resourceVersion("6")),
            type -> false);

    @ParameterizedTest
    @CsvSource({
        "POST,   201, 7,  n/a 7",
        "PUT,    200, 7,  n/a 7",
        "PATCH,  200, 7,  n/a 7",
        "PATCH,  200, 6,  ",
        "PATCH,  409, ,   ",
        "DELETE, 200, 7,  ",
        "GET,    200, 7,  ",
    })
    void tellsWhichVersionTheLastRequestHasMade(
            String method, int code, @Nullable String answered, @Nullable String made) {
        trail.during(() -> {
            send("PUT", 200, "5");
            assertThat(RequestTrail.made()).isNotNull();
            send(method, code, answered);

            RequestTrail.Version version = RequestTrail.made();
            assertThat(version == null ? null : version.key() + " " + version.resourceVersion())
                    .isEqualTo(made);
            return null;
        });
    }

    @Test
    void tellsItOfWritesThatItOnlyCounts() {
        trail.during(() -> {
            for (int i = 0; i <= RequestTrail.MOST; i++) {
                send("PUT", 200, "1" + i);
            }
            assertThat(RequestTrail.made())
                    .extracting(RequestTrail.Version::resourceVersion)
                    .isEqualTo("1" + RequestTrail.MOST);
            return null;
        });
        assertThat(trail.moreWrites()).isEqualTo(1);
        assertThat(RequestTrail.made()).isNull();
    }

    @Test
    void aChangeIsToBeToldAlthoughManyWritesBeforeChangedNothing() {
        trail.during(() -> {
            for (int i = 0; i <= RequestTrail.MOST; i++) {
                send("PATCH", 200, "6");
            }
            assertThat(trail.isEventful()).isFalse();
            send("PATCH", 200, "7");
            return null;
        });
        assertThat(trail.isEventful()).isTrue();
    }

    /** Sends it to a server that answers with this version, as an answer that somebody observes. */
    private static void send(String method, int code, @Nullable String version) {
        Interceptor server = chain -> {
            Request.Builder request = chain.request().newBuilder();
            if (version != null) {
                request.tag(
                        JsonObject.class,
                        JsonParser.parseString("{metadata: {name: a, resourceVersion: '" + version + "'}}")
                                .getAsJsonObject());
            }
            return new Response.Builder()
                    .request(request.build())
                    .protocol(Protocol.HTTP_2)
                    .code(code)
                    .message("")
                    .body(ResponseBody.create("", null))
                    .build();
        };
        Request request = new Request.Builder()
                .url(method.equals("POST") ? COLLECTION : COLLECTION + "/a")
                .method(method, method.equals("GET") ? null : RequestBody.create(new byte[0]))
                .build();
        try {
            new OkHttpClient.Builder()
                    .addInterceptor(new RequestTrail.Notes(new ServerUrl(() -> "https://server")))
                    .addInterceptor(server)
                    .build()
                    .newCall(request)
                    .execute()
                    .close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
