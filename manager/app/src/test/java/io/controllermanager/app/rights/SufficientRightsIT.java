package io.controllermanager.app.rights;

import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * One of the installations of {@link LeastRightsIT} with one of its rights taken away, and one with shards: as much as every
 * build has time for.
 */
@RealControlPlane
@Tag("system")
class SufficientRightsIT {

    private static final Set<String> FOO = Set.of("foo");

    @Test
    void fooInANamespaceNeedsNoMoreThanItIsGrantedAndNotLess(
            ControlPlane plane, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        Image image = Image.shared();
        TestCluster cluster = TestCluster.of(plane);
        Manifests.applyCrds(cluster.admin(), Manifests.configDirectory());
        String system = cluster.createNamespace("system");
        String watched = cluster.createNamespace("watched");
        Chart.Rendered rendered = Chart.own().render(Combination.of(FOO, true).values(system, watched));
        try (Run run = new Run(cluster, image, rendered, system, watched, FOO, directory)) {
            run.start(1);
            run.expectNoComplaint();
            run.loseLease();
            run.expectAllUsed(Set.of());
            List<Right> one = run.granted().stream()
                    .filter(right -> right.what().equals("create deployments"))
                    .toList();
            run.failWithout(one);
            run.finish();
        }
    }

    @Test
    void fooByShardsNeedsNoMoreThanItIsGrantedAndUsesAllOfIt(
            ControlPlane plane, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path directory) throws Exception {
        TestCluster cluster = TestCluster.of(plane);
        Manifests.applyCrds(cluster.admin(), Manifests.configDirectory());
        String system = cluster.createNamespace("system");
        String watched = cluster.createNamespace("watched");
        Combination sharded = Combination.of(FOO, true).option("--set=shards.foo=2");
        Chart.Rendered rendered = Chart.own().render(sharded.values(system, watched));
        try (Run run = new Run(cluster, Image.shared(), rendered, system, watched, FOO, directory)) {
            run.start(1);
            run.expectNoComplaint();
            run.awaitRenewal();
            // Nobody loses a Lease here, of which the second Event would tell.
            run.expectAllUsed(Set.of("patch events"));
            run.finish();
        }
    }
}
