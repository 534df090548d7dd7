package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.util.Yaml;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@RealControlPlane(controllerManager = true, scheduler = true, kwokNodes = 1, dedicated = true)
class WholeControlPlaneTest {

    private final ControlPlane plane;

    WholeControlPlaneTest(ControlPlane plane) {
        this.plane = plane;
    }

    @Test
    void makesADeploymentAvailableAndCollectsItsGarbage(FreshNamespace namespace) throws Exception {
        AppsV1Api apps = new AppsV1Api(Clients.client(plane.kubeconfig()));
        CoreV1Api core = new CoreV1Api(Clients.client(plane.kubeconfig()));
        V1Deployment deployment = (V1Deployment) Yaml.load("""
                apiVersion: apps/v1
                kind: Deployment
                metadata:
                  name: web
                spec:
                  replicas: 2
                  selector:
                    matchLabels: {app: web}
                  template:
                    metadata:
                      labels: {app: web}
                    spec:
                      containers:
                      - name: web
                        image: nginx
                """);
        apps.createNamespacedDeployment(namespace.name(), deployment).execute();

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(apps.readNamespacedDeployment("web", namespace.name())
                                .execute()
                                .getStatus()
                                .getAvailableReplicas())
                        .isEqualTo(2));

        apps.deleteNamespacedDeployment("web", namespace.name()).execute();

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(core.listNamespacedPod(namespace.name())
                                .execute()
                                .getItems())
                        .isEmpty());
    }
}
