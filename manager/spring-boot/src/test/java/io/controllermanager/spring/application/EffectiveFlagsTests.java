package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.spring.config.ControllerManagerProperties;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.DefaultPropertiesPropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class EffectiveFlagsTests {

    private final StandardEnvironment environment = new StandardEnvironment();
    private final EffectiveFlags flags = new EffectiveFlags(
            environment,
            new Binder().bindOrCreate(ControllerManagerProperties.PREFIX, ControllerManagerProperties.class));

    @Test
    void aFlagIsAsGivenOrWhatCountsWithoutIt() {
        environment
                .getPropertySources()
                .addFirst(new FlagPropertySource(
                        CommandLine.parse("-v=4", "--kube-api-qps", "5", "--concurrent-foo-syncs=3", "--secure-port=0")
                                .settings()));
        assertThat(flags.get())
                .containsEntry("v", "4")
                .containsEntry("kube-api-qps", "5")
                .containsEntry("concurrent-foo-syncs", "3")
                .containsEntry("secure-port", "0")
                .containsEntry("leader-elect", "true")
                .containsEntry("leader-elect-lease-duration", "15s")
                .containsEntry("namespace", "")
                .containsEntry("kubeconfig", "")
                .containsKeys(Flag.ALL.stream()
                        .map(Flag::name)
                        .filter(name -> !name.contains("<"))
                        .toArray(String[]::new));
    }

    @Test
    void propertiesThatSomebodyHasSetAreThere() {
        DefaultPropertiesPropertySource.addOrMerge(
                Map.of("management.endpoint.loggers.access", "read-only"), environment.getPropertySources());
        set("controller-manager.shutdown-timeout", "${wait}");
        set("wait", "7s");
        set("CONTROLLER_MANAGER_CLIENT_QPS", "8");
        set("spring.datasource.username", "me");
        assertThat(flags.get())
                .containsEntry("controller-manager.shutdown-timeout", "7s")
                .containsEntry("CONTROLLER_MANAGER_CLIENT_QPS", "8")
                .doesNotContainKeys("wait", "spring.datasource.username", "management.endpoint.loggers.access");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            server.ssl.key-store-password                 | hush                               | CLASSIFIED
            SERVER_SSL_KEY_PASSWORD                       | hush                               | CLASSIFIED
            server.ssl.certificate-private-key            | hush                               | CLASSIFIED
            controller-manager.client.token               | hush                               | CLASSIFIED
            management.otlp.tracing.headers.Authorization | hush                               | CLASSIFIED
            management.datadog.metrics.export.api-key     | hush                               | CLASSIFIED
            controller-manager.master                     | https://me:hush@host:6443/x        | https://CLASSIFIED@host:6443/x
            controller-manager.webhooks.url               | https://host?x=1&access_token=hush | https://host?x=1&access_token=CLASSIFIED
            server.ssl.trust                              | -----BEGIN PRIVATE KEY-----hush    | CLASSIFIED
            server.ssl.key-store                          | /etc/store.p12                     | /etc/store.p12
            controller-manager.endpoints.authentication.audiences | metrics                    | metrics
            """)
    void whatMayBeASecretIsNotShown(String name, String value, String shown) {
        set(name, value);
        assertThat(flags.get()).containsEntry(name, shown);
        assertThat(flags.get().values()).noneMatch(text -> text.contains("hush"));
    }

    @Test
    void credentialsInAFlagAreNotShown() {
        environment
                .getPropertySources()
                .addFirst(new FlagPropertySource(
                        CommandLine.parse("--master=https://me:hush@host").settings()));
        assertThat(flags.get()).containsEntry("master", "https://CLASSIFIED@host");
    }

    private void set(String name, String value) {
        Map<String, Object> one = new HashMap<>();
        one.put(name, value);
        environment.getPropertySources().addFirst(new MapPropertySource(name, one));
    }
}
