package io.controllermanager.foo;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.test.CrashPoints;
import io.controllermanager.test.DeletedChildren;
import io.controllermanager.test.OvertakenWrites;
import io.controllermanager.test.RefusedWrites;
import io.controllermanager.test.Scenario;
import io.controllermanager.test.Stage;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Foo comes to the same end whatever goes wrong on the way. */
class FooScenarioTest {

    private static final class ScaledFoo implements Scenario {

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder()
                    .manifests("../../config/crd/bases/*.yaml")
                    .world(true);
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(FooController.descriptor());
        }

        @Override
        public void play(Stage stage) throws ApiException {
            stage.client(Foo.TYPE)
                    .create(new Foo(new V1ObjectMeta().namespace("default").name("foo"), new FooSpec("web", 2)));
            stage.converges();
            stage.client(Foo.TYPE).patch("default", "foo", new Patch.Merge("{\"spec\":{\"replicas\":3}}"));
        }
    }

    @Test
    void whereTheProcessIsLost() {
        CrashPoints.of(ScaledFoo::new).check();
    }

    @Test
    void whereTheApiServerRefuses() {
        RefusedWrites.of(ScaledFoo::new).check();
    }

    @Test
    void whereAnotherWriterGetsInBefore() {
        OvertakenWrites.of(ScaledFoo::new).check();
    }

    @Test
    void whereSomebodyDeletesTheDeployment() {
        DeletedChildren.of(ScaledFoo::new).check();
    }
}
