package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.protobuf.ProtobufReader;
import io.controllermanager.testing.support.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the server knows of Kubernetes' types in protobuf against the Go types themselves. */
@Tag("control-plane")
class GoTypesTest {

    private static String go(String command) throws IOException {
        return Command.go(Path.of("client-go"), Map.of(), "run", "./protobuf", command);
    }

    /** A new version of Kubernetes shows here: the comment of {@code client-go/types} says how to take it over. */
    @ParameterizedTest
    @CsvSource({"resources, resource/kubernetes-resources.json", "schemas, schema/schemas.gz", "texts, schema/texts.gz"
    })
    void typesAreThoseThatKubernetesPublishes(String what, String resource) throws IOException {
        try (InputStream file = Objects.requireNonNull(ApiServer.class.getResourceAsStream(resource))) {
            byte[] bytes = (resource.endsWith(".gz") ? new GZIPInputStream(file) : file).readAllBytes();
            assertThat(new String(bytes, StandardCharsets.UTF_8))
                    .isEqualTo(Command.go(Path.of("client-go"), Map.of(), "run", "./types", what));
        }
    }

    @Test
    void tableIsThatOfGo() throws IOException {
        try (InputStream table = ProtobufReader.class.getResourceAsStream("messages.json")) {
            assertThat(table).isNotNull();
            assertThat(new String(table.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(go("table"));
        }
    }

    @Test
    void readsRandomObjectsAsGoDoes() throws IOException {
        List<String> samples = go("samples").lines().toList();
        assertThat(samples).hasSizeGreaterThan(400);
        for (String sample : samples) {
            String[] forms = sample.split("\t", 2);
            JsonNode expected = Json.read(forms[1].getBytes(StandardCharsets.UTF_8));
            ObjectNode read = ProtobufReader.read(Base64.getDecoder().decode(forms[0]), "", "");
            assertThat(withoutNulls(read)).isEqualTo(withoutNulls(expected));
        }
    }

    /** Go writes null for what is not there but has to be written; the server takes both for the same. */
    private static JsonNode withoutNulls(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.removeNulls();
        }
        node.forEach(GoTypesTest::withoutNulls);
        return node;
    }
}
