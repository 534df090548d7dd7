package com.example.database;

import com.example.database.Tenants.Tenant;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.client.Propagation;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.test.CrashPoints;
import io.controllermanager.test.NamedFault;
import io.controllermanager.test.OutsideSystem;
import io.controllermanager.test.Scenario;
import io.controllermanager.test.Stage;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Job;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The operator comes to the same end wherever its process is lost. */
class DatabaseCrashTests {

    /** A Database is made, its user changes, a copy is made, and it is deleted while accounting is down for a minute. */
    private static final class Life implements Scenario {

        private final Propagation propagation;
        private final OutsideSystem<Tenant> tenants = new OutsideSystem<>();

        Life(Propagation propagation) {
            this.propagation = propagation;
        }

        @Override
        public ApiServerBuilder server() {
            return Cluster.builder();
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(Cluster.controller(tenants));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            Cluster.prepare(stage.server());
            ResourceClient<Database> databases = stage.client(Cluster.DATABASE);
            databases.create(Cluster.database("orders"));
            stage.converges();
            databases.patch(Cluster.NAMESPACE, "orders", new Patch.Merge("""
                    {"spec": {"users": [{"namespace": "office", "name": "clerk"}]}}"""));
            stage.advance(Duration.ofMinutes(30));
            tenants.down(true);
            databases.delete(Cluster.NAMESPACE, "orders", null, propagation);
            stage.converges();
            tenants.down(false);
            stage.advance(Duration.ofMinutes(2));
            // One that stays after an orphaning deletion has a name that comes of a random password.
            ResourceClient<V1Job> jobs = stage.client(ResourceTypes.JOB);
            for (V1Job job : jobs.list(Cluster.NAMESPACE)) {
                String name = job.getMetadata().getName();
                if (name.startsWith("orders-init-")) {
                    jobs.delete(Cluster.NAMESPACE, name);
                }
            }
        }

        @Override
        public Object outside() {
            return tenants;
        }
    }

    @ParameterizedTest
    @EnumSource(Propagation.class)
    void comesToTheSameEndWhereverTheProcessIsLost(Propagation propagation) {
        CrashPoints.of(() -> new Life(propagation)).check();
    }

    @Test
    void comesToTheSameEndWhateverBecomesOfCallsToAccounting() {
        NamedFault.OUTSIDE_CALL.check(() -> new Life(Propagation.BACKGROUND));
    }
}
