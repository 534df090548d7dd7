package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.plan.PlanReport;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.reconciler.TypedController;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import io.controllermanager.testing.controllers.PlanAndTruth;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a new release of a controller does to what the old one has made: the plan tells it, and a real run does it. */
@OnBothServers
class UpgradePlanTest {

    /** How far a release goes, each one further than the one before. */
    enum Release {
        FIRST,
        OTHER_VALUE,
        FIELD_GONE,
        ONE_MORE,
        ONE_LESS,
        IN_STEPS,
        REPLACES,
        FINALIZER,
        WITH_SECRET,
        RESTLESS
    }

    @Reconciles(Foo.class)
    static class Releases implements ObjectReconciler<Foo> {

        final Release release;

        Releases(Release release) {
            this.release = release;
        }

        @Override
        public void describe(ControllerDescription<Foo> d) {
            d.owns(ResourceTypes.CONFIG_MAP).owns(ResourceTypes.SECRET).prunes();
        }

        @Override
        public Outcome reconcile(Foo foo, Reconciliation<Foo> r) throws ApiException {
            Map<String, String> data = release == Release.OTHER_VALUE
                    ? Map.of("a", "2", "b", "1")
                    : release == Release.FIELD_GONE ? Map.of("a", "1") : Map.of("a", "1", "b", "1");
            if (release == Release.REPLACES) {
                V1ConfigMap old = r.child(ResourceTypes.CONFIG_MAP, foo.name());
                boolean first = old != null && old.getImmutable() == null;
                if (first && !r.delete(old)) {
                    return Outcome.progressing("Replacing", "the old one is being deleted");
                }
                r.apply(map(foo.name(), data).immutable(true));
                return Outcome.done();
            }
            if (release == Release.RESTLESS) {
                V1ConfigMap old = r.child(ResourceTypes.CONFIG_MAP, foo.name());
                int count = old == null ? 0 : Integer.parseInt(old.getData().getOrDefault("count", "0"));
                r.apply(map(foo.name(), Map.of("count", Integer.toString(count + 1))));
                return Outcome.done();
            }
            V1ConfigMap one = r.apply(map(foo.name(), data));
            if (release == Release.ONE_MORE) {
                r.apply(map(
                        foo.name() + "-more",
                        Map.of("uid-of-one", one.getMetadata().getName())));
            }
            if (release == Release.IN_STEPS) {
                // Each step waits to see the one before.
                for (int step = 1; step <= 4; step++) {
                    V1ConfigMap before = r.child(ResourceTypes.CONFIG_MAP, foo.name() + "-" + (step - 1));
                    if (step > 1 && before == null) {
                        r.pruneOthers();
                        return Outcome.progressing("Step", "step " + (step - 1) + " is not seen yet");
                    }
                    boolean there = r.child(ResourceTypes.CONFIG_MAP, foo.name() + "-" + step) != null;
                    r.apply(map(foo.name() + "-" + step, Map.of("step", Integer.toString(step))));
                    if (!there) {
                        return Outcome.progressing("Step", "step " + step + " was made");
                    }
                }
            }
            if (release == Release.WITH_SECRET) {
                r.apply(new V1Secret()
                        .metadata(new V1ObjectMeta().name(foo.name()))
                        .putStringDataItem("password", "not to be shown"));
            }
            r.pruneOthers();
            return Outcome.done();
        }

        private static V1ConfigMap map(String name, Map<String, String> data) {
            return new V1ConfigMap().metadata(new V1ObjectMeta().name(name)).data(data);
        }
    }

    /** Needs a finalizer. */
    @Reconciles(Foo.class)
    static final class Cleaning extends Releases implements Cleaner<Foo> {

        Cleaning() {
            super(Release.FINALIZER);
        }

        @Override
        public Outcome cleanup(Foo foo, Reconciliation<Foo> r) {
            return Outcome.done();
        }
    }

    private final FooCluster cluster;
    private final String namespace;
    private final PlanAndTruth both;

    UpgradePlanTest(TestedServer server) {
        cluster = new FooCluster(server);
        namespace = cluster.createNamespace();
        both = new PlanAndTruth(
                server, namespace, "apis/samplecontroller.k8s.io/v1alpha1/foos", "api/v1/configmaps", "api/v1/secrets");
    }

    @BeforeEach
    void installCrd() throws ApiException {
        cluster.installCrd(Foo.TYPE, FooCrd.OWN.manifest());
        cluster.createFoo(namespace, "foo", "web", 1);
    }

    private static ControllerDescriptor[] controller(Release release) {
        ObjectReconciler<Foo> reconciler = release == Release.FINALIZER ? new Cleaning() : new Releases(release);
        return new ControllerDescriptor[] {TypedController.descriptor(reconciler)};
    }

    private PlanReport check(Release release) {
        return both.check(controller(release), controller(release));
    }

    @Test
    void theFirst() {
        assertThat(check(Release.FIRST).text()).contains("    data.a: \"1\"");
        assertThat(check(Release.FIRST).exitCode()).isEqualTo(PlanReport.NO_CHANGE);
    }

    @Test
    void anotherValue() {
        check(Release.FIRST);
        assertThat(check(Release.OTHER_VALUE).text()).contains("    data.a: \"1\" -> \"2\"");
    }

    @Test
    void aFieldThatIsWantedNoMore() {
        check(Release.FIRST);
        assertThat(check(Release.FIELD_GONE).text()).contains("    data.b: \"1\" -> (gone)");
    }

    @Test
    void oneMoreChild() {
        check(Release.FIRST);
        assertThat(check(Release.ONE_MORE).text()).contains("1 to create, 0 to change, 0 to delete");
    }

    @Test
    void oneChildLess() {
        check(Release.ONE_MORE);
        assertThat(check(Release.ONE_LESS).text()).contains("delete configmaps " + namespace + "/foo-more");
    }

    @Test
    void childrenOneAfterTheOther() {
        check(Release.FIRST);
        assertThat(check(Release.IN_STEPS).text()).contains("4 to create");
    }

    @Test
    void aChildThatIsReplaced() {
        check(Release.FIRST);
        assertThat(check(Release.REPLACES).text())
                .contains("change configmaps " + namespace + "/foo, deleted and created again", "    immutable: true");
    }

    @Test
    void aFinalizer() {
        check(Release.FIRST);
        assertThat(check(Release.FINALIZER).text()).contains("    metadata.finalizers[0]: \"");
    }

    @Test
    void theEndOfAFinalizedObject() throws ApiException {
        check(Release.FINALIZER);
        cluster.foos().delete(namespace, "foo");
        assertThat(check(Release.FINALIZER).text())
                .contains("delete foos.samplecontroller.k8s.io " + namespace + "/foo");
    }

    @Test
    void aSecretWhoseValuesAreNotShown() {
        check(Release.FIRST);
        String plan = check(Release.WITH_SECRET).text();
        assertThat(plan).contains("    data.password: \"(hidden)\"").doesNotContain("bm90IHRv");
    }

    @Test
    void aControllerThatDoesNotSettle() {
        PlanReport plan = both.plan(controller(Release.RESTLESS));
        assertThat(plan.unsettled())
                .as("%s", plan.text())
                .singleElement()
                .asString()
                .contains("the last changes are", "data.count: \"8\" -> \"9\"", "data.count: \"9\" -> \"10\"");
        assertThat(plan.exitCode()).isEqualTo(PlanReport.FAILED);
    }
}
