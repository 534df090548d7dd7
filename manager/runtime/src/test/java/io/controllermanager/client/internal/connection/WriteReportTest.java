package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.gson.JsonObject;
import io.controllermanager.client.internal.request.ResourcePath;
import io.controllermanager.client.internal.transport.ServerUrl;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;
import okio.Source;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WriteReportTest {

    private static final String URL = "https://server/api/v1/namespaces/n/configmaps/a";
    private static final String LARGE = "{\"data\":\"" + "x".repeat(100_000) + "\"}";

    private final List<JsonObject> observed = new ArrayList<>();
    private final WriteReport report =
            new WriteReport(new ServerUrl(() -> "https://server"), List.of(new WriteObserver() {
                @Override
                public boolean observes(Request request, ResourcePath path) {
                    return true;
                }

                @Override
                public void written(Request request, ResourcePath path, JsonObject answer) {
                    observed.add(answer);
                }
            }));

    private Response put(@Nullable String header, @Nullable MediaType type, Source answer) throws IOException {
        Interceptor server = chain -> {
            Response.Builder response = new Response.Builder()
                    .request(chain.request())
                    .protocol(Protocol.HTTP_2)
                    .code(200)
                    .message("")
                    .body(ResponseBody.create(Okio.buffer(answer), type, -1));
            return (header == null ? response : response.header("Content-Type", header)).build();
        };
        return new OkHttpClient.Builder()
                .addInterceptor(report)
                .addInterceptor(server)
                .build()
                .newCall(new Request.Builder()
                        .url(URL)
                        .put(RequestBody.create(new byte[0]))
                        .build())
                .execute();
    }

    @Test
    void showsAllOfALargeAnswerAndLeavesItToTheAuthorAsTextAndAsATree() throws IOException {
        try (Response response = put("application/json", null, new Buffer().writeUtf8(LARGE))) {
            assertThat(observed).singleElement().hasToString(LARGE);
            assertThat(response.body().string()).isEqualTo(LARGE);
            assertThat(response.request().tag(JsonObject.class)).isSameAs(observed.get(0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "[]", "{", ""})
    void leavesWhatIsNoObjectToTheAuthor(String answer) throws IOException {
        try (Response response = put("application/json", null, new Buffer().writeUtf8(answer))) {
            assertThat(observed).isEmpty();
            assertThat(response.body().string()).isEqualTo(answer);
            assertThat(response.request().tag(JsonObject.class)).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, , 1",
        "application/json;charset=utf-8, , 1",
        ", application/json, 1",
        "application/json-patch, , 0",
        "text/plain, application/json, 0",
        ", , 0"
    })
    void showsJsonAlone(@Nullable String header, @Nullable String ofBody, int times) throws IOException {
        MediaType type = ofBody == null ? null : MediaType.get(ofBody);
        put(header, type, new Buffer().writeUtf8("{}")).close();

        assertThat(observed).hasSize(times);
    }

    @Test
    void closesAnAnswerThatCannotBeRead() {
        AtomicBoolean closed = new AtomicBoolean();
        Source broken = new ForwardingSource(new Buffer()) {
            @Override
            public long read(Buffer sink, long byteCount) throws IOException {
                throw new IOException("broken");
            }

            @Override
            public void close() {
                closed.set(true);
            }
        };

        assertThatIOException()
                .isThrownBy(() -> put("application/json", null, broken))
                .withMessage("broken");
        assertThat(closed).isTrue();
    }
}
