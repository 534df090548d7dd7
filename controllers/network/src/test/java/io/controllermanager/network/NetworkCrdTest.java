package io.controllermanager.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.gson.JsonObject;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the API server refuses by itself, given the CRD that the repository ships. */
@OnBothServers
class NetworkCrdTest {

    private final NetworkCluster cluster;
    private final String namespace;

    NetworkCrdTest(TestedServer server) {
        cluster = new NetworkCluster(server);
        namespace = cluster.createNamespace();
    }

    @BeforeEach
    void installCrd() throws ApiException {
        cluster.installCrd();
    }

    @ParameterizedTest
    @CsvSource({
        "192.168.0.0/16, 192.168.0.1",
        "192.168.0.0/16, ",
        "192.168.0.0/16, 192.168.255.255",
        "10.0.0.0/31, 10.0.0.0",
        "10.0.0.0/32, 10.0.0.0",
        "FD00:1::/64, fd00:1::1",
        "fd00:1::/127, fd00:1::",
        "fd00:1::5/128, fd00:1::5",
        "0.0.0.0/0, 255.1.1.1",
        "0000:0000:0000:0000:0000:0000:192.168.255.254/128, ",
    })
    void takesWhatMayBeRight(String cidr, @Nullable String gateway) {
        assertThatCode(() -> cluster.create(namespace, "a", cidr, gateway)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        ", , spec.cidr: Required value",
        "'', , is no address range",
        "nonsense, , is no address range",
        "192.168.0.0, , is no address range",
        "192.168.000.0/16, , is no address range",
        "192.168.0.0/33, , is no address range",
        "::ffff:10.0.0.0/104, , is no address range",
        "192.168.0.5/16, , has bits set after the prefix",
        "192.168.0.0/16, nonsense, is no IP address",
        "192.168.0.0/16, ::ffff:192.168.0.1, is no IP address",
        "192.168.0.0/16, 10.0.0.1, is not in the address range",
        "192.168.0.0/16, fd00::1, is not in the address range",
        "192.168.0.0/16, 192.168.0.0, is the network address",
        "fd00:1::/64, fd00:1::, is the network address",
    })
    void refusesWhatCannotBeRight(@Nullable String cidr, @Nullable String gateway, String message) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> cluster.create(namespace, "a", cidr, gateway))
                .satisfies(refusal -> {
                    assertThat(refusal.getCode()).isEqualTo(422);
                    assertThat(refusal.getResponseBody()).contains(message);
                });
    }

    @Test
    void neverRefusesWhatTheControllerTakes() throws ApiException {
        String[] cidrs = {"10.0.0.0/8", "10.0.0.1/8", "10.0.0.0/31", "fd00::/64", "fd00::/127", "fd00::1/64", "x"};
        String[] gateways = {"10.0.0.0", "10.0.0.1", "10.255.255.254", "fd00::", "fd00::1", "fd01::", "y"};
        int taken = 0;
        for (String cidr : cidrs) {
            for (String gateway : gateways) {
                boolean valid = Verdict.of(new NetworkSpec(cidr, gateway)) instanceof Verdict.Valid;
                assertThat(isTaken(cidr, gateway)).as(cidr + " " + gateway).isEqualTo(valid);
                taken += valid ? 1 : 0;
            }
        }
        assertThat(taken).isGreaterThan(5);
    }

    private boolean isTaken(String cidr, String gateway) throws ApiException {
        try {
            cluster.create(namespace, "probe", cidr, gateway);
        } catch (ApiException e) {
            return false;
        }
        return cluster.networks().delete(namespace, "probe");
    }

    @Test
    void refusesAMisspeltField() throws IOException, ApiException {
        try (Response refusal = createMisspelt("Strict")) {
            assertThat(refusal.code()).isEqualTo(400);
            assertThat(refusal.body().string())
                    .contains("strict decoding error: unknown field")
                    .contains("spec.gatewar");
        }
        assertThat(cluster.networks().get(namespace, "misspelt")).isNull();

        try (Response warning = createMisspelt("Warn")) {
            assertThat(warning.code()).isEqualTo(201);
            assertThat(warning.header("Warning")).contains("unknown field").contains("spec.gatewar");
        }
    }

    private Response createMisspelt(String fieldValidation) throws IOException, ApiException {
        JsonObject spec = new JsonObject();
        spec.addProperty("cidr", "192.168.0.0/16");
        spec.addProperty("gatewar", "192.168.0.1");
        JsonObject metadata = new JsonObject();
        metadata.addProperty("name", "misspelt");
        JsonObject network = new JsonObject();
        network.addProperty("apiVersion", "sample.k8s.io/v1");
        network.addProperty("kind", "Network");
        network.add("metadata", metadata);
        network.add("spec", spec);
        return cluster.user()
                .buildCall(
                        null,
                        "/apis/sample.k8s.io/v1/namespaces/" + namespace + "/networks",
                        "POST",
                        List.of(new Pair("fieldValidation", fieldValidation)),
                        List.of(),
                        network,
                        new HashMap<>(Map.of("Content-Type", "application/json")),
                        new HashMap<>(),
                        new HashMap<>(),
                        new String[] {"BearerToken"},
                        null)
                .execute();
    }
}
