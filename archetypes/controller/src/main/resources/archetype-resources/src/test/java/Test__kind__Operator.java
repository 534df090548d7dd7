package ${package};

import io.controllermanager.apiserver.ApiServer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** Runs the operator on a Kubernetes API server inside the JVM: {@code mvn spring-boot:test-run}. */
class Test${kind}Operator {

    public static void main(String... arguments) {
        SpringApplication.from(${kind}Operator::main).with(Cluster.class).run(arguments);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Cluster {

        @Bean
        ApiServer apiServer() {
            return ApiServer.builder()
                    .port(18080)
                    .manifests("config/crd/*.yaml", "config/samples/*.yaml")
                    .world(true)
                    .start();
        }
    }
}
