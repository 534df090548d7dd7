package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.internal.request.ApiRequests;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import okhttp3.MediaType;
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

/** When types are asked for their versions, what follows from the answers, and what becomes of writes meanwhile. */
class StorageHistoryTest {

    private final StorageHistory history = new StorageHistory();
    private final List<String> sent = new ArrayList<>();
    private final OkHttpClient http = new OkHttpClient.Builder()
            .addInterceptor(history)
            .addInterceptor(chain -> {
                sent.add(chain.request().method());
                return new Response.Builder()
                        .request(chain.request())
                        .protocol(Protocol.HTTP_1_1)
                        .code(200)
                        .message("OK")
                        .body(ResponseBody.create("{}", MediaType.get(ApiRequests.JSON)))
                        .build();
            })
            .build();

    /** A mirror that has come to a version, of a type that is at another by now. */
    private class Mirrored implements StorageHistory.Mirror {

        /** Not known before the first request. */
        private String type;

        private long newest;
        private long present;
        private int error = -1;
        private int asked;
        private int restored;

        Mirrored(String type, long newest, long present) {
            this.type = type;
            this.newest = newest;
            this.present = present;
            history.add(this);
        }

        @Override
        public String type() {
            return type;
        }

        @Override
        public long newest() {
            return newest;
        }

        @Override
        public long present() throws ApiException {
            asked++;
            if (error >= 0) {
                throw ApiRequests.failure("ask", error, "no", null);
            }
            return present;
        }

        @Override
        public void restored() {
            restored++;
            newest = -1;
        }
    }

    private void write() throws IOException {
        send("POST", RequestBody.create(new byte[0]));
    }

    private void send(String method, @Nullable RequestBody body) throws IOException {
        http.newCall(new Request.Builder()
                        .url("http://fake/")
                        .method(method, body)
                        .build())
                .execute()
                .close();
    }

    @Test
    void nobodyIsAskedWithoutADoubtNorTwiceForOne() throws IOException, ApiException {
        Mirrored foos = new Mirrored("foos", 7, 7);
        write();
        assertThat(foos.asked).isZero();

        history.doubt();
        send("GET", null);
        assertThat(foos.asked).isZero();
        write();
        write();
        history.confirm(foos);

        assertThat(foos.asked).isEqualTo(1);
        assertThat(foos.restored).isZero();
        assertThat(sent).containsExactly("POST", "GET", "POST", "POST");
    }

    @ParameterizedTest
    @CsvSource({
        // has seen, is at, told
        "7, 6, 1",
        "7, 7, 0",
        "7, 8, 0",
        "-1, 6, 0",
        "7, -1, 0"
    })
    void aTypeIsReadAgainIfItIsAtAnOlderVersion(long newest, long present, int told) throws ApiException {
        Mirrored foos = new Mirrored("foos", newest, present);
        history.doubt();
        history.confirm(foos);
        assertThat(foos.restored).isEqualTo(told);
    }

    @Test
    void aTypeMayGetItsNameLater() throws ApiException {
        Mirrored foos = new Mirrored("unknown", -1, 6);
        foos.type = "foos";
        foos.newest = 7;
        history.doubt();
        history.confirm(foos);
        assertThat(foos.restored).isEqualTo(1);
    }

    @Test
    void eachTypeIsComparedWithItselfAndAllItsMirrorsAreTold() throws ApiException {
        Mirrored one = new Mirrored("foos", 5, 6);
        Mirrored other = new Mirrored("foos", 7, 6);
        Mirrored elsewhere = new Mirrored("events", 900, 901);
        Mirrored uncomparable = new Mirrored("others", 3, -1);
        history.doubt();
        history.confirm(elsewhere);

        assertThat(one.restored).isEqualTo(1);
        assertThat(other.restored).isEqualTo(1);
        assertThat(one.asked + other.asked).isEqualTo(1);
        assertThat(elsewhere.restored).isZero();
        assertThat(uncomparable.restored).as("it follows the others").isEqualTo(1);
        assertThat(StorageHistory.restores(new ApiClient(http))).isEqualTo(1);
    }

    @Test
    void nothingIsWrittenBeforeItIsKnown() throws IOException {
        Mirrored foos = new Mirrored("foos", 7, 6);
        history.doubt();

        assertThatThrownBy(this::write).isInstanceOf(IOException.class).hasMessageContaining("put back");
        assertThat(sent).isEmpty();
        assertThat(foos.restored).isEqualTo(1);
        write();
        assertThat(sent).containsExactly("POST");
    }

    /** An API server that comes up says 403 too. */
    @ParameterizedTest
    @CsvSource({"0", "503", "504", "429", "401", "403"})
    void whileNobodyAnswersNothingIsWritten(int error) throws IOException {
        Mirrored foos = new Mirrored("foos", 7, 7);
        foos.error = error;
        history.doubt();

        assertThatThrownBy(this::write).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> history.confirm(foos)).isInstanceOf(ApiException.class);
        assertThat(sent).isEmpty();
        foos.error = -1;
        write();
        assertThat(sent).containsExactly("POST");
    }

    @Test
    void aTypeWhoseServerIsAwayKeepsOnlyItsOwnWatchBack() throws IOException, ApiException {
        Mirrored foos = new Mirrored("foos", 7, 7);
        Mirrored away = new Mirrored("metrics", 7, 7);
        away.error = 503;
        history.doubt();

        write();
        history.confirm(foos);
        assertThatThrownBy(() -> history.confirm(away)).isInstanceOf(ApiException.class);
        away.error = -1;
        away.present = 5;
        history.confirm(away);
        assertThat(away.restored).isEqualTo(1);
        assertThat(foos.asked).isEqualTo(1);
    }

    @Test
    void aTypeThatIsNotServedKeepsNoWriteBack() throws IOException {
        Mirrored foos = new Mirrored("foos", 7, 7);
        foos.error = 404;
        history.doubt();
        write();
        assertThat(sent).containsExactly("POST");
        assertThatThrownBy(() -> history.confirm(foos)).isInstanceOf(ApiException.class);
    }

    @Test
    void whereOneNamespaceMayNotBeListedAnotherIsAsked() throws ApiException {
        Mirrored one = new Mirrored("foos", 7, 6);
        one.error = 403;
        Mirrored other = new Mirrored("foos", 7, 6);
        history.doubt();
        history.confirm(one);
        assertThat(one.restored).isEqualTo(1);
        assertThat(other.restored).isEqualTo(1);
    }

    @Test
    void aQuestionThatFailsRaisesNoNewDoubt() throws IOException {
        new Mirrored("foos", 7, 7);
        Mirrored away = new Mirrored("metrics", 7, 7) {
            @Override
            public long present() throws ApiException {
                history.doubt();
                throw ApiRequests.failure("ask", 0, "no", null);
            }
        };
        history.doubt();
        write();
        write();
        assertThat(sent).hasSize(2);
        assertThat(away.asked).isZero();
    }
}
