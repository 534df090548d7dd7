package com.example.greeter;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.test.CrashPoints;
import io.controllermanager.test.Scenario;
import io.controllermanager.test.Stage;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A type and a controller in Kotlin: nullable, with defaults of Kotlin and of the API server. */
class GreeterTest {

    private static final ResourceType<Greeter> GREETER = ResourceType.of(Greeter.class);

    /** One object has what it must have, the other all there is. */
    private static final class Greetings implements Scenario {

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("config/crd/*.yaml");
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(TypedController.descriptor(new GreeterReconciler()));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            ResourceClient<Greeter> greeters = stage.client(GREETER);
            greeters.patch("default", "short", apply("short", "{\"name\": \"Ada\"}"));
            greeters.patch("default", "long", apply("long", """
                {"name": "Ada", "title": "Ms", "tone": "polite", "times": 1, "end": "?", "others": ["Bob", null],
                "words": {"en": ["Hi"], "de": null}, "since": 9007199254740993, "prefix": ""}\
                """));
            stage.converges();
            assertThat(greeting(stage, "short")).isEqualTo("> WARM WARM Ada!");
            assertThat(greeting(stage, "long")).isEqualTo("Hi Ms Ada, Hi Bob, Hi all?");
            Greeter full = greeters.get("default", "long");
            assertThat(full.spec().getSince()).isEqualTo(9_007_199_254_740_993L);
            assertThat(full.status().getLength()).isEqualTo(26);
        }

        private static Patch apply(String name, String spec) {
            return new Patch.Apply(
                    "{\"apiVersion\": \"example.com/v1\", \"kind\": \"Greeter\", \"metadata\": {\"name\": \"" + name
                            + "\"}, \"spec\": " + spec + "}",
                    "test",
                    true);
        }

        private static String greeting(Stage stage, String name) throws ApiException {
            return stage.client(ResourceTypes.CONFIG_MAP)
                    .get("default", name)
                    .getData()
                    .get("greeting");
        }
    }

    @Test
    void comesToTheSameEndWhereverTheProcessIsLost() {
        CrashPoints.of(Greetings::new).check();
    }
}
