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
        "POST, /api/v1/namespaces/default/pods/a/exec?command=ls, 501, pods/exec",
        "GET, /api/v1/componentstatuses, 404, componentstatuses of v1",
        "GET, /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas, 404, flowschemas of flowcontrol.apiserver.k8s.io/v1",
        "POST, /api/v1/namespaces/default/pods/a/attach, 501, pods/attach",
        "GET, /api/v1/namespaces/default/pods/a/portforward, 501, pods/portforward",
        "PATCH, /api/v1/namespaces/default/pods/a/resize, 501, pods/resize",
        "PUT, /api/v1/namespaces/default/finalize, 501, namespaces/finalize",
    })
    void saysWhatItDoesNotServe(String method, String path, int code, String what, ApiServer server)
            throws IOException, InterruptedException {
        String pod = """
                {"metadata":{"name":"a"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}""";
        send(server, "POST", "/api/v1/namespaces/default/pods", pod);
        HttpResponse<String> response = send(server, method, path, "");
        assertThat(response.statusCode()).isEqualTo(code);
        assertThat(response.body())
                .contains("\"kind\":\"Status\"", "\"the embedded API server does not serve " + what + "\"");
    }

    private static HttpResponse<String> send(ApiServer server, String method, String path, String body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(server.url().resolve(path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
