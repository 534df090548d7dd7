package io.controllermanager.testing.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.util.Yaml;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("system")
@RealControlPlane(controllerManager = true, scheduler = true, kwokNodes = 1, dedicated = true)
class WholeControlPlaneTest {

    private final ControlPlane plane;
    private final AppsV1Api apps;
    private final CoreV1Api core;

    WholeControlPlaneTest(ControlPlane plane) throws IOException {
        this.plane = plane;
        this.apps = new AppsV1Api(Clients.client(plane.kubeconfig()));
        this.core = new CoreV1Api(Clients.client(plane.kubeconfig()));
    }

    @Test
    void makesADeploymentAvailableAndCollectsItsGarbage(FreshNamespace namespace) throws Exception {
        create(namespace);

        awaitAvailable(namespace);

        apps.deleteNamespacedDeployment("web", namespace.name()).execute();

        await().untilAsserted(() -> assertThat(
                        core.listNamespacedPod(namespace.name()).execute().getItems())
                .isEmpty());
    }

    @Test
    void goesOnAfterAnOutageOfTheApiServer(FreshNamespace namespace) throws Exception {
        List<Long> before = plane.processIds();

        plane.killApiServer();
        plane.startApiServer();

        create(namespace);
        awaitAvailable(namespace);
        assertThat(plane.processIds()).hasSameSizeAs(before);
    }

    private void create(FreshNamespace namespace) throws Exception {
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
    }

    private void awaitAvailable(FreshNamespace namespace) {
        await().untilAsserted(() -> assertThat(apps.readNamespacedDeployment("web", namespace.name())
                        .execute()
                        .getStatus()
                        .getAvailableReplicas())
                .isEqualTo(2));
    }
}
