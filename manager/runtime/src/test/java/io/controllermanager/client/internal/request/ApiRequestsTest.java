package io.controllermanager.client.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.openapi.ServerConfiguration;
import java.util.List;
import java.util.Map;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiRequestsTest {

    private static final String PATH = "/apis/example.com/v1/namespaces/n/foos/a";

    private static final List<Pair> QUERY =
            List.of(new Pair("labelSelector", "app in (a, b),!c"), new Pair("fieldManager", "a&b=c+d/é"));

    private static HttpUrl url(ApiRequests requests, List<Pair> query) throws ApiException {
        return requests.request("GET", PATH, query, null, null).url();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://server",
                "http://127.0.0.1:8080",
                "https://[::1]:6443",
                "https://proxy/k8s/clusters/c%20d"
            })
    void asksForWhatTheClientItselfWould(String server) throws ApiException {
        ApiClient client = new ApiClient().setBasePath(server);

        HttpUrl url = url(new ApiRequests(client), QUERY);

        HttpUrl expected = HttpUrl.get(client.buildUrl(null, PATH, QUERY, List.of()));
        assertThat(url.newBuilder().query(null).build())
                .isEqualTo(expected.newBuilder().query(null).build());
        assertThat(url.queryParameterNames()).isEqualTo(expected.queryParameterNames());
        assertThat(url.queryParameter("labelSelector")).isEqualTo("app in (a, b),!c");
        assertThat(url.queryParameter("fieldManager")).isEqualTo("a&b=c+d/é");
        assertThat(url(new ApiRequests(client), List.of()))
                .isEqualTo(HttpUrl.get(client.buildUrl(null, PATH, List.of(), List.of())));
    }

    @Test
    void takesAServerOfTheClientsList() throws ApiException {
        ApiClient client = new ApiClient()
                .setServers(List.of(new ServerConfiguration("https://first", "", Map.of())))
                .setServerIndex(0);

        assertThat(url(new ApiRequests(client), List.of())).hasToString("https://first" + PATH);
    }

    /** Not for {@code http://localhost}, which a new client's base path is. */
    @Test
    void refusesAClientWithoutAServer() {
        assertThatIllegalArgumentException().isThrownBy(() -> url(new ApiRequests(new ApiClient()), List.of()));
    }

    @Test
    void followsItsClientElsewhere() throws ApiException {
        ApiClient client = new ApiClient().setBasePath("https://here");
        ApiRequests requests = new ApiRequests(client);
        assertThat(url(requests, List.of()).host()).isEqualTo("here");

        client.setBasePath("https://elsewhere/below");

        HttpUrl url = url(requests, List.of());
        assertThat(url.toString()).isEqualTo("https://elsewhere/below" + PATH);
        assertThat(requests.path(url)).isEqualTo(new ResourcePath("example.com", "v1", "foos", "n", "a", null));
    }
}
