package io.controllermanager.foo;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.test.Scenario;
import io.controllermanager.test.Stage;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;

/** What is done with a Foo, one act after the other. */
final class FooCopyScenario implements Scenario {

    /** Something that a user does, or that happens. */
    @FunctionalInterface
    interface Act {
        void play(Stage stage, LoadBalancer balancer) throws ApiException;
    }

    static final Act CREATE = create("web", 1);
    static final Act EDIT = patch("{\"spec\":{\"replicas\":2}}");
    static final Act RENAME = patch("{\"spec\":{\"deploymentName\":\"other\"}}");
    static final Act DELETE = (stage, balancer) -> stage.client(Foo.TYPE).delete("default", "hello");
    static final Act LOSE_ROUTE = (stage, balancer) -> {
        balancer.routes().clear();
        stage.advance(FooCopy.CHECKED);
    };

    private final LoadBalancer balancer = new LoadBalancer();
    private final Bug bug;
    private final List<Act> acts;

    FooCopyScenario(Bug bug, Act... acts) {
        this.bug = bug;
        this.acts = List.of(acts);
    }

    static Foo foo(String deploymentName, int replicas) {
        return new Foo(new V1ObjectMeta().namespace("default").name("hello"), new FooSpec(deploymentName, replicas));
    }

    static Act create(String deploymentName, int replicas) {
        return (stage, balancer) -> stage.client(Foo.TYPE).create(foo(deploymentName, replicas));
    }

    private static Act patch(String json) {
        return (stage, balancer) -> stage.client(Foo.TYPE).patch("default", "hello", new Patch.Merge(json));
    }

    @Override
    public ApiServerBuilder server() {
        return ApiServer.builder().manifests("../../config/crd/bases/samplecontroller.k8s.io_foos.yaml");
    }

    @Override
    public List<ControllerDescriptor> controllers() {
        return List.of(FooCopy.descriptor(balancer, bug));
    }

    @Override
    public void play(Stage stage) throws ApiException {
        for (Act act : acts) {
            act.play(stage, balancer);
            stage.converges();
        }
    }

    @Override
    public Object outside() {
        return balancer;
    }
}
