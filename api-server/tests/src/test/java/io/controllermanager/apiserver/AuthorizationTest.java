package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.AuthenticationV1TokenRequest;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1TokenRequestSpec;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** How authorization is switched on, and for whom the server's ways in are. What it decides is in the contract. */
class AuthorizationTest {

    private static void list(ApiClient client) throws ApiException {
        assertThat(new CoreV1Api(client).listNamespacedConfigMap("default").execute())
                .isNotNull();
    }

    private static void assertRefused(ApiClient client, String user) {
        assertThatThrownBy(() -> list(client))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        refused -> assertThat(refused.getResponseBody())
                                .contains("\"code\":403", "User \\\"" + user + "\\\" cannot list resource"));
    }

    private static ApiClient client(String kubeconfig) throws IOException {
        return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(kubeconfig)))
                .build();
    }

    @Test
    void isOffByDefault() throws Exception {
        try (ApiServer server = ApiServer.start()) {
            list(server.clientFor("jane"));
            list(client(server.kubeconfig()));
            list(client(server.kubeconfigFor("jane")));
            assertThat(server.kubeconfig()).contains("server: " + server.url() + "\n");
        }
    }

    @Test
    void isForAnAdministratorUnlessAUserIsNamed() throws Exception {
        try (ApiServer server = ApiServer.builder().authorization(true).start()) {
            list(server.client());
            list(client(server.kubeconfig()));
            assertRefused(server.clientFor("jane"), "jane");
            assertRefused(client(server.kubeconfigFor("jane")), "jane");
            assertRefused(
                    new ClientBuilder().setBasePath(server.url().toString()).build(), "system:anonymous");
        }
    }

    @Test
    void isForTheUserByTheKubeconfig() throws Exception {
        try (ApiServer server =
                ApiServer.builder().authorization(true).user("jane", "masters").start()) {
            list(server.client());
            assertRefused(client(server.kubeconfig()), "jane");
            assertRefused(client(Files.readString(server.kubeconfigFile())), "jane");
        }
    }

    @Test
    void remembersWhatItRefused() throws Exception {
        try (ApiServer server = ApiServer.builder().authorization(true).start()) {
            list(server.client());
            assertThat(server.refusals()).isEmpty();
            for (int i = 0; i < 2; i++) {
                assertRefused(server.clientFor("jane"), "jane");
            }
            assertThat(server.refusals())
                    .containsExactly("configmaps is forbidden: User \"jane\" cannot list resource \"configmaps\""
                            + " in API group \"\" in the namespace \"default\"");
        }
    }

    @Test
    void isForTheBearerOfAServiceAccountsTokenUntilItEnds() throws Exception {
        try (ApiServer server = ApiServer.builder().authorization(true).start()) {
            CoreV1Api api = new CoreV1Api(server.client());
            api.createNamespacedServiceAccount(
                            "default", new V1ServiceAccount().metadata(new V1ObjectMeta().name("robot")))
                    .execute();
            AuthenticationV1TokenRequest request = new AuthenticationV1TokenRequest()
                    .spec(new V1TokenRequestSpec().audiences(List.of()).expirationSeconds(600L));
            AuthenticationV1TokenRequest answer = api.createNamespacedServiceAccountToken("robot", "default", request)
                    .execute();
            ApiClient bearer = new ClientBuilder()
                    .setBasePath(server.url().toString())
                    .setAuthentication(
                            new AccessTokenAuthentication(answer.getStatus().getToken()))
                    .build();
            assertRefused(bearer, "system:serviceaccount:default:robot");
            server.setClock(InstantSource.fixed(
                    answer.getStatus().getExpirationTimestamp().toInstant()));
            assertThatThrownBy(() -> list(bearer))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            refused -> assertThat(refused.getCode()).isEqualTo(401));
        }
    }

    @Test
    void isNeededForAUser() {
        assertThatThrownBy(() -> ApiServer.builder().user("jane").start())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("authorization is off, so that jane could do everything: switch it on");
    }

    @Nested
    @EmbeddedApiServer(authorization = true, user = "jane")
    class ByAnnotation {

        @Test
        void isOn(ApiServer server, ApiClient client) throws Exception {
            list(client);
            assertRefused(client(server.kubeconfig()), "jane");
        }
    }
}
