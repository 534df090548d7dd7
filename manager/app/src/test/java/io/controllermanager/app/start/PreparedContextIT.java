package io.controllermanager.app.start;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.spring.config.ControllerProperties;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Whatever is set, the application is the same whether it starts from the prepared context where that holds, or as Spring makes
 * it: the same beans of the same classes, the same answers.
 */
@Tag("system")
@Isolated("the choice of the context is the process's")
class PreparedContextIT {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    /** Values that fit the others' defaults, and names that must exist. */
    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("controller-manager.controllers", "*,-foo"),
            Map.entry("controller-manager.controller.foo.shard-by", "name"),
            Map.entry("controller-manager.kubeconfig", "/nowhere/kubeconfig"),
            Map.entry("controller-manager.master", "http://127.0.0.1:1"),
            Map.entry("controller-manager.namespaces", "default"),
            Map.entry("controller-manager.page.path", "/elsewhere"),
            Map.entry("controller-manager.leader-election.lease-duration", "17s"),
            Map.entry("controller-manager.leader-election.on-loss", "exit"),
            Map.entry("controller-manager.leader-election.pod-uid", "4b6f0f1c-6f3b-4a53-9f6d-0a5a1b7f2f10"),
            Map.entry("controller-manager.leader-election.renew-deadline", "11s"),
            Map.entry("controller-manager.leader-election.retry-period", "1s"),
            Map.entry("controller-manager.leader-election.resource-name", "other"),
            Map.entry("controller-manager.leader-election.resource-namespace", "other"),
            // True needs a later Java.
            Map.entry("controller-manager.virtual-threads", "false"));

    /** What no start can be with. */
    private static final Set<String> REFUSED =
            Set.of("controller-manager.kubeconfig=/nowhere/kubeconfig", "server.ssl.bundle=missing");

    private static ApiServer server;

    private static final Map<String, String> OF_TESTS = new HashMap<>();

    @BeforeAll
    static void begin() throws IOException {
        server = ApiServer.builder().start();
        // Such as where the jar is, which would be taken for properties that do not exist.
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("controller-manager."))
                .forEach(name -> OF_TESTS.put(name, System.clearProperty(name)));
    }

    @AfterAll
    static void end() {
        server.close();
        OF_TESTS.forEach(System::setProperty);
    }

    /** Each property that the project documents, with another value than its default. */
    static Stream<String> documented() throws IOException {
        List<String> settings = new ArrayList<>();
        for (URL metadata :
                Collections.list(Thread.currentThread().getContextClassLoader().getResources(METADATA))) {
            try (InputStream text = metadata.openStream()) {
                JsonParser.parseReader(new InputStreamReader(text, StandardCharsets.UTF_8))
                        .getAsJsonObject()
                        .getAsJsonArray("properties")
                        .asList()
                        .stream()
                        .map(JsonElement::getAsJsonObject)
                        .filter(property -> isOurs(property.get("name").getAsString()))
                        .forEach(property -> settings.add(setting(
                                property.get("name").getAsString(),
                                property.get("type").getAsString(),
                                property.has("defaultValue")
                                        ? property.get("defaultValue").getAsString()
                                        : "")));
            }
        }
        assertThat(settings).hasSizeGreaterThan(40);
        Stream<String> ofController = Stream.of(ControllerProperties.class.getRecordComponents())
                .filter(property -> !property.getType().isRecord())
                .map(property -> setting(
                        "controller-manager.controller.foo."
                                + ConfigurationPropertyName.adapt(
                                        property.getName().replaceAll("(?=[A-Z])", "-"), '.'),
                        property.getType().getName(),
                        property.getName().equals("enabled") ? "true" : ""));
        return Stream.concat(settings.stream(), ofController);
    }

    private static boolean isOurs(String name) {
        // The executable has no webhooks; their starter is on the class path of the tests.
        return (name.startsWith("controller-manager.")
                        && !name.equals("controller-manager.controller")
                        && !name.startsWith("controller-manager.webhooks."))
                || name.matches("management\\.endpoint\\.(controllers|informers|leaderelection)\\..*");
    }

    private static String setting(String name, String type, String standard) {
        String byType = switch (type.substring(type.lastIndexOf('.') + 1)) {
            case "Boolean", "boolean" -> standard.equals("true") ? "false" : "true";
            case "Duration" -> "7s";
            case "Integer", "Double" -> "7";
            case "Access" -> "none";
            default -> "other";
        };
        return name + "=" + VALUES.getOrDefault(name, byType);
    }

    @ParameterizedTest
    @Tag("deep")
    @MethodSource("documented")
    void aDocumentedPropertyHasTheSameEffect(String setting) {
        assertSame(setting);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "logging.structured.format.console=ecs",
                "management.endpoint.health.probes.enabled=false",
                "management.endpoint.loggers.access=none",
                "management.endpoints.web.base-path=/manage",
                "management.endpoints.web.exposure.include=health,controllers",
                "management.endpoints.web.exposure.include[0]=health",
                "management.endpoints.access.default=none",
                "management.prometheus.metrics.export.enabled=false",
                "management.server.port=0",
                "management.server.port=-1",
                "server.forward-headers-strategy=framework",
                "server.servlet.context-path=/below",
                "server.ssl.bundle=missing",
                "spring.application.name=other",
                "spring.main.lazy-initialization=true",
                "spring.main.web-application-type=none",
                "spring.profiles.active=other",
                "spring.threads.virtual.enabled=true"
            })
    void aPropertyOfSpringBootHasTheSameEffect(String setting) {
        assertSame(setting);
    }

    @Test
    void aStartWithNothingButWhatTheChartSetsTakesIt() {
        Start start = Start.of(
                null,
                server,
                "--controllers=*",
                "--leader-elect=true",
                "--leader-elect-resource-name=manager",
                "--leader-elect-resource-namespace=default",
                "--leader-elect-lease-duration=15s",
                "--leader-elect-renew-deadline=10s",
                "--leader-elect-retry-period=2s",
                "--controller-manager.shutdown-timeout=30s",
                "--controller-manager.endpoints.authentication.enabled=true",
                "--logging.structured.format.console=ecs",
                "--logging.level.root=info");

        assertThat(start.failure()).isNull();
        assertThat(start.prepared()).isTrue();
    }

    @Test
    void aStartOfAnotherContextDoesNot() {
        assertThat(Start.of(null, server, "--management.server.port=0").prepared())
                .isFalse();
        assertThat(Start.of(null, server, "--spring.profiles.active=other").prepared())
                .isFalse();
        assertThat(Start.of(null, server, "--spring.profiles.default=other").prepared())
                .isFalse();
        assertThat(Start.of(null, server, "--debug").prepared()).isFalse();
        assertThat(Start.of(null, server).prepared()).isTrue();
    }

    private static void assertSame(String setting) {
        Start decided = Start.of(null, server, "--" + setting);
        Start ordinary = Start.of("false", server, "--" + setting);

        assertThat(ordinary.prepared()).isFalse();
        assertThat(decided.failure()).isEqualTo(ordinary.failure());
        assertThat(decided.failure() != null).as(decided.failure()).isEqualTo(REFUSED.contains(setting));
        assertThat(decided.beans()).containsExactlyInAnyOrderEntriesOf(ordinary.beans());
        assertThat(decided.answers()).isEqualTo(ordinary.answers());
    }
}
