package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the real server has and this one has not is named in a refusal. */
@EmbeddedApiServer(shared = true)
class NotServedTest {

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/namespaces/default/pods/a/log, 501, pods/log",
        "POST, /api/v1/namespaces/default/pods/a/exec?command=ls, 501, pods/exec",
        "POST, /api/v1/namespaces/default/pods/a/eviction, 501, pods/eviction",
        "GET, /api/v1/componentstatuses, 404, componentstatuses of v1",
        "GET, /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas, 404, flowschemas of flowcontrol.apiserver.k8s.io/v1",
        "POST, /api/v1/namespaces/default/pods/a/attach, 501, pods/attach",
        "GET, /api/v1/namespaces/default/pods/a/portforward, 501, pods/portforward",
        "POST, /api/v1/namespaces/default/bindings, 404, bindings of v1",
        "POST, /api/v1/namespaces/default/pods/a/binding, 501, pods/binding",
        "PATCH, /api/v1/namespaces/default/pods/a/resize, 501, pods/resize",
        "PATCH, /api/v1/namespaces/default/pods/a/ephemeralcontainers, 501, pods/ephemeralcontainers",
        "PUT, /api/v1/namespaces/default/finalize, 501, namespaces/finalize",
    })
    void saysWhatItDoesNotServe(String method, String path, int code, String what, ApiServer server)
            throws IOException, InterruptedException {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(server.url().resolve(path))
                                .method(method, HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(code);
        assertThat(response.body())
                .contains("\"kind\":\"Status\"", "\"the embedded API server does not serve " + what + "\"");
    }
}
