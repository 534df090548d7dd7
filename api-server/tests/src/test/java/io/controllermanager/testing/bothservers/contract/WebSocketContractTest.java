package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.bothservers.contract.WebSocketWatch.Frame;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Watches over WebSockets, as fabric8's client opens them. */
class WebSocketContractTest extends Contract {

    private static final String ORIGIN = "Origin";

    WebSocketContractTest(TestedServer server) {
        super(server);
    }

    private WebSocketWatch open(String query, String... headers) {
        return new WebSocketWatch(server.client(), configMaps() + "?watch=true" + query, headers);
    }

    private WebSocketWatch open(String query) {
        return open(query, ORIGIN, "http://localhost");
    }

    @Test
    void sendsEachEventInAFrameOfText() {
        String version = create("a").version();
        try (WebSocketWatch watch = open("&resourceVersion=" + version)) {
            create("b");
            api.delete(configMap("a")).ok();
            List<Frame> events = List.of(watch.next(), watch.next());
            assertThat(events).extracting(Frame::kind).containsOnly("text");
            assertThat(events)
                    .extracting(Frame::event)
                    .extracting(event -> event.at("/type").asText() + " "
                            + event.at("/object/metadata/name").asText())
                    .containsExactly("ADDED b", "DELETED a");
            assertThat(events).extracting(Frame::text).allMatch(text -> text.endsWith("}\n"));
        }
    }

    @Test
    void endsWithACloseFrame() {
        create("a");
        try (WebSocketWatch watch = open("&timeoutSeconds=1")) {
            assertThat(watch.next().event().at("/type").asText()).isEqualTo("ADDED");
            assertThat(watch.next()).isEqualTo(new Frame("closing", "1000"));
        }
    }

    @Test
    void tellsOfACompactedVersionInAnEvent() {
        // Not ConfigMaps: the real server's watch cache still knows what etcd has forgotten of those.
        String secrets = "/api/v1/namespaces/" + namespace + "/secrets";
        String start = api.get(secrets).ok().version();
        api.create(secrets, json("{'metadata':{'name':'a'}}")).ok();
        api.create(secrets, json("{'metadata':{'name':'b'}}")).ok();
        server.compact();
        String path = secrets + "?watch=true&resourceVersion=" + start;
        try (WebSocketWatch watch = new WebSocketWatch(server.client(), path, ORIGIN, "http://localhost")) {
            JsonNode first = watch.next().event();
            assertThat(first.at("/type").asText()).isEqualTo("ERROR");
            assertThat(first.at("/object/code").asInt()).isEqualTo(410);
            assertThat(watch.next()).isEqualTo(new Frame("closing", "1000"));
        }
    }

    @Test
    void showsTables() {
        create("a");
        String table = "application/json;as=Table;g=meta.k8s.io;v=v1";
        try (WebSocketWatch watch = open("", ORIGIN, "http://localhost", "Accept", table)) {
            assertThat(watch.next().event().at("/object/kind").asText()).isEqualTo("Table");
        }
    }

    @Test
    void endsWhenTheClientDoes() {
        try (WebSocketWatch watch = open("")) {
            create("a");
            watch.next();
            watch.end();
            // Not that the client no longer waits: its own limit would end in another failure.
            assertThat(watch.next().toString()).containsAnyOf("kind=closing", "EOFException");
        }
    }

    @Test
    void agreesToTheOneProtocolThatIsAskedFor() throws Exception {
        String[] headers = {ORIGIN, "http://localhost", "Sec-WebSocket-Protocol", "v4.channel.k8s.io"};
        try (WebSocketWatch watch = open("", headers)) {
            create("a");
            watch.next();
            assertThat(watch.header("Sec-WebSocket-Protocol")).isEqualTo("v4.channel.k8s.io");
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            no origin           | 403 |            | Accept: application/json
            two protocols       | 400 |            | Origin: http://localhost; Sec-WebSocket-Protocol: a, b
            a bad selector      | 400 | &labelSelector=!!  | Origin: http://localhost
            """)
    void refusesBeforeTheUpgrade(String what, int code, String query, String headers) {
        String[] pairs = headers.split("; |: ");
        try (WebSocketWatch watch = open(query == null ? "" : query, pairs)) {
            assertThat(watch.next()).as(what).isEqualTo(new Frame("refused", Integer.toString(code)));
        }
    }

    @Test
    void isForWatchesOnly() {
        try (WebSocketWatch list = new WebSocketWatch(server.client(), configMaps(), ORIGIN, "http://localhost")) {
            assertThat(list.next()).isEqualTo(new Frame("refused", "200"));
        }
    }
}
