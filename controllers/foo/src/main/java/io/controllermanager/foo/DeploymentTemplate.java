package io.controllermanager.foo;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.util.List;
import java.util.Map;

/** The Deployment that a Foo stands for: sample-controller's, to the letter. */
final class DeploymentTemplate {

    private DeploymentTemplate() {}

    /** A Deployment of nginx in the Foo's namespace; who owns it is for others to say. */
    static V1Deployment forFoo(Foo foo) {
        Map<String, String> labels = Map.of("app", "nginx", "controller", foo.name());
        V1PodSpec pod = new V1PodSpec()
                .containers(List.of(new V1Container().name("nginx").image("nginx:latest")));
        return new V1Deployment()
                .metadata(new V1ObjectMeta().name(foo.deploymentName()).namespace(foo.namespace()))
                .spec(new V1DeploymentSpec()
                        .replicas(foo.replicas())
                        .selector(new V1LabelSelector().matchLabels(labels))
                        .template(new V1PodTemplateSpec()
                                .metadata(new V1ObjectMeta().labels(labels))
                                .spec(pod)));
    }
}
