package io.controllermanager.app.demo;

import io.controllermanager.app.Main;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.spring.autoconfigure.KubernetesConnectionDetails;
import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.testing.support.AwaitilityLimit;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The demo: the controller manager with an API server beside it, with the CRDs and samples of {@code config/} applied, to
 * look at and to play with. Run it by {@code mvn -q -pl manager/app -am spring-boot:test-run}; Ctrl-C ends it. With
 * {@code -Dapi-server=real} the API server is a real one, with kube-controller-manager, kube-scheduler and a node that
 * kwok plays.
 */
public class TestControllerManagerApplication {

    /** Takes the flags of the controller manager itself. */
    @SuppressWarnings("SystemOut")
    public static void main(String... arguments) {
        try {
            DemoCluster.Kind.chosen();
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
        AwaitilityLimit.set();
        SpringApplication.from(Main::main).with(DemoConfiguration.class).run(arguments);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class DemoConfiguration {

        @Bean(destroyMethod = "close")
        DemoCluster cluster() throws Exception {
            DemoCluster cluster = DemoCluster.Kind.chosen().start();
            Manifests.applyAll(cluster.kubeconfig());
            return cluster;
        }

        @Bean
        KubernetesConnectionDetails kubernetesConnectionDetails(DemoCluster cluster) {
            return cluster::kubeconfig;
        }

        /** A demo should run where something else has the port: the one that is set, or Spring Boot's own choice. */
        @Bean
        @SuppressWarnings("SystemOut")
        WebServerFactoryCustomizer<ConfigurableWebServerFactory> freePort(Environment environment) {
            int wanted = environment.getProperty("server.port", Integer.class, 8080);
            return factory -> {
                if (wanted > 0 && !Ports.isFree(wanted)) {
                    System.out.println("Port " + wanted + " is taken: metrics, health and endpoints get another.");
                    factory.setPort(0);
                }
            };
        }

        @Bean
        ApplicationListener<ApplicationReadyEvent> directions(DemoCluster cluster, Environment environment) {
            // On a thread of its own: the process is ready, and says so, whatever becomes of the samples.
            return event -> {
                Thread thread = new Thread(() -> direct(cluster, environment), "demo-directions");
                thread.setDaemon(true);
                thread.start();
            };
        }

        @SuppressWarnings("SystemOut")
        private static void direct(DemoCluster cluster, Environment environment) {
            DemoReport report;
            try {
                report = new DemoReport(Config.fromConfig(cluster.kubeconfig().toString()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            String kubectl = cluster.kubectl();
            System.out.printf(
                    """

                    The controller manager runs beside %2$s.
                    %3$s.
                    %4$s.

                    Look at them from another terminal (with --namespace=default if your kubeconfig names another):

                      %1$s get foos,networks,deployments
                      %1$s describe foo example-foo
                      %1$s get events

                    Change something, and see it followed or put right:

                      %1$s edit foo example-foo
                      %1$s patch foo example-foo --type=merge -p '{"spec":{"replicas":3}}'
                      %1$s scale deployment example-foo --replicas=7
                      %1$s delete deployment example-foo

                    Watch meanwhile:

                      %1$s get deployments --watch
                      curl http://localhost:%5$s/actuator/controllers

                    A page in the browser shows all of it: http://localhost:%5$s/

                    Ctrl-C ends all of it, and nothing is kept.
                    """,
                    kubectl,
                    cluster.description(),
                    report.foo(),
                    report.network(),
                    environment.getProperty("local.server.port"));
        }
    }
}
