package io.controllermanager.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.json.JsonParserFactory;

class ConfigurationMetadataTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "META-INF/spring-configuration-metadata.json",
                "META-INF/spring/configuration-metadata/io.controllermanager.spring.config.ControllerProperties.json"
            })
    void everyPropertyHasADescription(String file) throws IOException {
        assertThat(properties(file))
                .isNotEmpty()
                .allSatisfy(property -> assertThat(property)
                        .hasEntrySatisfying(
                                "description",
                                description -> assertThat((String) description).endsWith(".")));
    }

    @Test
    void everyPropertyThatIsReadIsDescribed() throws IOException {
        assertThat(properties("META-INF/spring-configuration-metadata.json"))
                .extracting(property -> property.get("name"))
                .contains(
                        "controller-manager.enabled",
                        "controller-manager.controllers",
                        "controller-manager.namespaces",
                        "controller-manager.kubeconfig",
                        "controller-manager.master",
                        "controller-manager.shutdown-timeout",
                        "controller-manager.leader-election.on-loss",
                        "controller-manager.client.qps");
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> properties(String file) throws IOException {
        // Not from the class path, where other jars have a file of the same name.
        String json = Files.readString(Path.of("target/classes", file));
        Object properties = JsonParserFactory.getJsonParser().parseMap(json).get("properties");
        return (List<Map<String, Object>>) Objects.requireNonNull(properties);
    }
}
