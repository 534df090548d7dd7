package io.controllermanager.testing.bothservers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import okhttp3.Headers;

/** What the server said. */
record Reply(int code, JsonNode body, Headers headers) {

    /** Fails unless the server said yes. */
    Reply ok() {
        assertThat(code).as("code of %s", body).isBetween(200, 299);
        return this;
    }

    /** Fails unless the server refused like this. */
    Reply refused(int wanted, String reason) {
        assertThat(code).as("code of %s", body).isEqualTo(wanted);
        assertThat(body.path("kind").asText()).isEqualTo("Status");
        assertThat(body.path("status").asText()).isEqualTo("Failure");
        assertThat(body.path("reason").asText()).as("reason of %s", body).isEqualTo(reason);
        assertThat(body.path("code").asInt()).isEqualTo(wanted);
        return this;
    }

    /** A value by its JSON pointer, as text. */
    String at(String pointer) {
        return body.at(pointer).asText();
    }

    JsonNode node(String pointer) {
        return body.at(pointer);
    }

    String message() {
        return at("/message");
    }

    String version() {
        return at("/metadata/resourceVersion");
    }

    String uid() {
        return at("/metadata/uid");
    }

    List<String> warnings() {
        return headers.values("Warning");
    }

    /** The names of a list's items. */
    List<String> names() {
        return body.path("items").findValues("metadata").stream()
                .map(metadata -> metadata.path("name").asText())
                .toList();
    }
}
