package io.controllermanager.app.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.foo.Foo;
import io.controllermanager.foo.FooSpec;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import org.junit.jupiter.api.Test;

/** What operators ask for of single objects by annotations, where the replica that works is killed. */
class OperatedObjectsIT extends SamplesFixture {

    @Test
    void aPauseAndATriggerSurviveAKilledLeader() throws Exception {
        create("paused");
        create("triggered");
        try (RunningJar leader = start()) {
            await("both are reconciled").until(() -> replicas("paused") == 1 && replicas("triggered") == 1);
            try (RunningJar standby = start()) {
                standby.awaitStatus("/actuator/health/readiness", 200);
                annotate("paused", "paused", "\"true\"");
                await("it is paused").until(() -> pausedObjects(leader) == 1);
                standby.suspend();
                leader.kill();
                // Nobody leads, and nobody can before the other one goes on.
                change("paused", 2);
                annotate("triggered", "reconcile-at", "\"now\"");
                standby.resume();
                theStandbyKnows(standby);

                annotate("paused", "paused", "null");
                await("the pause is over").until(() -> replicas("paused") == 3);
                standby.terminate();
                assertThat(standby.exitCode()).isZero();
            }
        }
    }

    private void theStandbyKnows(RunningJar standby) throws ApiException {
        await("what was asked for is done").until(() -> runs(standby, "triggered") > 0);
        await("the pause is known").until(() -> pausedObjects(standby) == 1);
        change("paused", 3);
        change("triggered", 2);
        await("the other one is reconciled").until(() -> replicas("triggered") == 2);
        await("all is done").until(() -> queued(standby) == 0);
        int before = runs(standby, "triggered");
        annotate("triggered", "reconcile-at", "\"again\"");
        await("a trigger is acted on").until(() -> runs(standby, "triggered") > before);
        assertThat(explained(standby, "paused").get("waits").getAsString())
                .isEqualTo(namespace + "/paused is paused by its annotation controller-manager.io/paused=true. Remove"
                        + " the annotation to have it reconciled.");
        assertThat(runs(standby, "paused")).isZero();
        assertThat(replicas("paused")).isEqualTo(1);
    }

    private RunningJar start() throws Exception {
        return RunningJar.start(
                directory,
                "--kubeconfig=" + plane.kubeconfigFile(),
                "--namespace=" + namespace,
                "--controllers=foo",
                "--leader-elect-resource-namespace=" + namespace,
                "--leader-elect-resource-name=operated",
                "--leader-elect-lease-duration=6s",
                "--leader-elect-renew-deadline=5s",
                "--leader-elect-retry-period=1s");
    }

    private void create(String name) throws ApiException {
        new ResourceClient<>(client, Foo.TYPE)
                .create(new Foo(new V1ObjectMeta().namespace(namespace).name(name), new FooSpec(name, 1)));
    }

    private void change(String name, int replicas) throws ApiException {
        patch(name, "{\"spec\":{\"replicas\":" + replicas + "}}");
    }

    private void annotate(String name, String annotation, String json) throws ApiException {
        patch(name, "{\"metadata\":{\"annotations\":{\"controller-manager.io/" + annotation + "\":" + json + "}}}");
    }

    private void patch(String name, String merge) throws ApiException {
        Foo ignored = new ResourceClient<>(client, Foo.TYPE).patch(namespace, name, new Patch.Merge(merge));
    }

    /** What a Foo's Deployment is to have, 0 while there is none. */
    private int replicas(String name) throws ApiException {
        V1Deployment deployment = new ResourceClient<>(client, ResourceTypes.DEPLOYMENT).get(namespace, name);
        return deployment == null ? 0 : deployment.getSpec().getReplicas();
    }

    private static int pausedObjects(RunningJar replica) {
        return json(replica, "").get("pausedObjects").getAsInt();
    }

    private static int queued(RunningJar replica) {
        JsonObject status = json(replica, "");
        return status.get("queueDepth").getAsInt() + status.get("activeWorkers").getAsInt();
    }

    /** How many reconciles of a Foo a replica knows of, which did something or not. */
    private int runs(RunningJar replica, String name) {
        JsonObject known = explained(replica, name);
        return known.getAsJsonArray("reconciles").size() + known.get("quiet").getAsInt();
    }

    private JsonObject explained(RunningJar replica, String name) {
        return json(replica, "/keys/" + namespace + "/" + name);
    }

    private static JsonObject json(RunningJar replica, String path) {
        return JsonParser.parseString(replica.body("/actuator/controllers/foo" + path))
                .getAsJsonObject();
    }
}
