package io.controllermanager.app;

import io.controllermanager.spring.autoconfigure.KubernetesConnectionDetails;
import io.controllermanager.testing.controlplane.ControlPlane;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * The controller manager with a real control plane beside it, to look at and to play with: API server,
 * kube-controller-manager, kube-scheduler and a node that kwok plays, with the CRDs and samples of {@code config/}
 * applied. Run it by {@code mvn -q -pl manager/app -am spring-boot:test-run}; Ctrl-C ends every process.
 */
public class TestControllerManagerApplication {

    /** Takes the flags of the controller manager itself. */
    public static void main(String... arguments) {
        SpringApplication.from(ControllerManagerApplication::main)
                .with(PlaneConfiguration.class)
                .run(arguments);
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class PlaneConfiguration {

        @Bean(destroyMethod = "close")
        @SuppressWarnings("SystemOut")
        ControlPlane controlPlane() throws Exception {
            System.out.println("Starting a control plane; the first time its programs are built, which takes minutes.");
            ControlPlane plane = ControlPlane.builder()
                    .controllerManager(true)
                    .scheduler(true)
                    .kwokNodes(1)
                    .start();
            Manifests.applyAll(plane.kubeconfigFile());
            return plane;
        }

        @Bean
        KubernetesConnectionDetails kubernetesConnectionDetails(ControlPlane plane) {
            return plane::kubeconfigFile;
        }

        @Bean
        @SuppressWarnings("SystemOut")
        ApplicationListener<ApplicationReadyEvent> directions(ControlPlane plane, Environment environment) {
            return event -> System.out.printf(
                    """

                    The controller manager runs beside Kubernetes %1$s at %2$s. In another terminal:

                      export KUBECONFIG=%3$s
                      kubectl get foos,networks,deployments,pods
                      kubectl get foo example-foo -o yaml
                      kubectl get events
                      curl -s localhost:%4$s/actuator/controllers

                    Ctrl-C ends all of it.
                    """,
                    plane.version(),
                    plane.apiServerUrl(),
                    plane.kubeconfigFile(),
                    environment.getProperty("local.server.port", "8080"));
        }
    }
}
