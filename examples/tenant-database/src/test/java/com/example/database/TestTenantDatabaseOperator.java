package com.example.database;

import io.controllermanager.apiserver.ApiServer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** Runs the operator on a Kubernetes API server and a database inside the JVM: {@code mvn spring-boot:test-run}. */
class TestTenantDatabaseOperator {

    public static void main(String... arguments) {
        System.setProperty("spring.datasource.url", "jdbc:h2:mem:tenants");
        SpringApplication.from(TenantDatabaseOperator::main).with(Cluster.class).run(arguments);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Cluster {

        @Bean
        ApiServer apiServer() {
            return ApiServer.builder()
                    .port(18080)
                    .manifests("config/crd/*.yaml")
                    .world(true)
                    .start();
        }
    }
}
