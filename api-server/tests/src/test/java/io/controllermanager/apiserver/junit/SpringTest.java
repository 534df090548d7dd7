package io.controllermanager.apiserver.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.kubernetes.client.openapi.ApiClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.test.context.support.GenericXmlContextLoader;

/** With Spring there is one server for the application context and the test, whichever way the test asks for it. */
@SpringJUnitConfig(SpringTest.Application.class)
@EmbeddedApiServer
class SpringTest {

    private final ApiServer server;

    @Autowired
    private ApplicationContext context;

    SpringTest(ApiServer server) {
        this.server = server;
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {}

    @Test
    void isABean(@Autowired ApiServer bean) {
        assertThat(bean).isSameAs(server).isSameAs(context.getBean(ApiServer.class));
    }

    @Test
    void isAParameter(ApiServer parameter, ApiClient client) {
        assertThat(parameter).isSameAs(server);
        assertThat(client.getBasePath()).isEqualTo(server.url().toString());
    }

    @Test
    void endsWithTheContext() {
        ContextCustomizer customizer = Objects.requireNonNull(
                new EmbeddedApiServerContextCustomizerFactory().createContextCustomizer(SpringTest.class, List.of()));
        GenericApplicationContext another = new GenericApplicationContext();
        customizer.customizeContext(
                another,
                new MergedContextConfiguration(SpringTest.class, null, null, null, new GenericXmlContextLoader()));
        another.refresh();
        Path kubeconfig = another.getBean(ApiServer.class).kubeconfigFile();
        assertThat(kubeconfig).exists();
        another.close();
        assertThat(kubeconfig).doesNotExist();
    }

    @Nested
    class WithinAnother {

        @Test
        void isTheSame(ApiServer parameter) {
            assertThat(parameter).isSameAs(server);
        }
    }

    @Nested
    @SpringJUnitConfig(SpringTest.Application.class)
    @EmbeddedApiServer(seed = 1)
    class WithOtherSettings {

        @Test
        void isAnother(ApiServer parameter) {
            assertThat(parameter).isNotSameAs(server);
        }
    }

    @Nested
    @SpringJUnitConfig(SpringTest.Application.class)
    @EmbeddedApiServer
    class WithTheSameSettings {

        @Test
        void sharesTheContext(ApiServer parameter) {
            assertThat(parameter).isSameAs(server);
        }
    }
}
