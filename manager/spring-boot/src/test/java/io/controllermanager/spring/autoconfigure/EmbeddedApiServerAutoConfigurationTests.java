package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class EmbeddedApiServerAutoConfigurationTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(EmbeddedApiServerAutoConfiguration.class));

    @Test
    void connectsToAServerThatIsABean() {
        runner.withBean(ApiServer.class, ApiServer::start).run(context -> {
            ApiServer server = context.getBean(ApiServer.class);
            assertThat(context.getBean(KubernetesConnectionDetails.class).getKubeconfig())
                    .content()
                    .contains(server.url().toString());
        });
    }

    @Test
    void leavesNoKubeconfigBehind() {
        runner.withBean(ApiServer.class, ApiServer::start).run(context -> {
            Path file = context.getBean(KubernetesConnectionDetails.class).getKubeconfig();
            context.close();
            assertThat(file).doesNotExist();
        });
    }

    @Test
    void yieldsToTheApplicationsOwn() {
        Path own = Path.of("own");
        runner.withBean(ApiServer.class, ApiServer::start)
                .withBean(KubernetesConnectionDetails.class, () -> () -> own)
                .run(context -> assertThat(context.getBean(KubernetesConnectionDetails.class)
                                .getKubeconfig())
                        .isEqualTo(own));
    }

    @Test
    void doesNothingWithoutAServer() {
        runner.run(context -> assertThat(context).doesNotHaveBean(KubernetesConnectionDetails.class));
        runner.withClassLoader(new FilteredClassLoader(ApiServer.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KubernetesConnectionDetails.class));
    }
}
