package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.TcpProxy;
import io.controllermanager.testing.controlplane.junit.FreshNamespace;
import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1Lease;
import io.kubernetes.client.openapi.models.V1LeaseSpec;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Competition for a Lease on a real API server. */
@RealControlPlane
class LeaderElectorApiTest {

    private final ControlPlane plane;
    private final ApiClient admin;
    private final SystemTimer timer = new SystemTimer("test-timer");
    private final List<LeaderElector> electors = new ArrayList<>();
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private String namespace = "";

    LeaderElectorApiTest(ControlPlane plane) throws IOException {
        this.plane = plane;
        this.admin = client(plane.kubeconfig());
    }

    @BeforeEach
    void takeNamespace(FreshNamespace fresh) {
        namespace = fresh.name();
    }

    @AfterEach
    void stop() {
        electors.forEach(LeaderElector::stop);
        timer.close();
    }

    @Test
    void ofTwoOneLeadsAndTheOtherTakesOverAfterTheRelease() throws Exception {
        LeaderElector a = compete("a", admin, namespace);
        awaitNotices("a acquired");
        LeaderElector b = compete("b", admin, namespace);
        await().until(() -> "a".equals(b.status().holder()));
        V1LeaseSpec first = spec();
        assertThat(first.getHolderIdentity()).isEqualTo("a");
        assertThat(first.getLeaseTransitions()).isZero();
        await().untilAsserted(() -> assertThat(spec().getRenewTime()).isAfter(first.getRenewTime()));
        assertThat(spec().getAcquireTime()).isEqualTo(first.getAcquireTime());

        a.stop();
        awaitNotices("a acquired", "a lost", "b acquired");
        assertThat(spec().getHolderIdentity()).isEqualTo("b");
        assertThat(spec().getLeaseTransitions()).isEqualTo(1);
        b.stop();
        assertThat(spec().getHolderIdentity()).isEmpty();
        assertThat(spec().getLeaseDurationSeconds()).isEqualTo(1);
    }

    @Test
    void preparingWritesTheLeaseAsADryRunOnly() throws Exception {
        LeaderElector a = compete("a", admin, namespace);
        awaitNotices("a acquired");
        a.stop();
        List<String> written = new CopyOnWriteArrayList<>();
        int[] answer = {0};
        ApiClient watched = client(plane.kubeconfig());
        watched.setHttpClient(watched.getHttpClient()
                .newBuilder()
                .addInterceptor(chain -> {
                    if (chain.request().method().equals("PUT")) {
                        written.add(String.valueOf(chain.request().url().queryParameter("dryRun")));
                    }
                    Response response = chain.proceed(chain.request());
                    return answer[0] == 0 || chain.request().method().equals("GET")
                            ? response
                            : response.newBuilder().code(answer[0]).build();
                })
                .build());
        ApiLeaseLock lock = new ApiLeaseLock(ElectionConfigs.of(namespace, "lease"), watched, Clock.system(), timer);

        lock.prepare();
        assertThat(written).containsExactly("All");
        for (int code : List.of(404, 409)) {
            answer[0] = code;
            lock.prepare();
        }
        answer[0] = 403;
        assertThatThrownBy(lock::prepare)
                .isInstanceOf(LeaseException.class)
                .hasMessageContaining("missing permission: try to update leases.coordination.k8s.io");
    }

    @Test
    void preparingChangesNothingAndFailsForNobody() throws Exception {
        LeaderElectionConfig config = ElectionConfigs.of(namespace, "lease", "b");
        LeaderElector b = new LeaderElector(
                config, ElectionParts.of(admin, Clock.system(), timer, new SimpleMeterRegistry(), () -> {}));
        b.prepare();
        assertThat(new CoordinationV1Api(admin)
                        .listNamespacedLease(namespace)
                        .execute()
                        .getItems())
                .isEmpty();
        LeaderElector a = compete("a", admin, namespace);
        awaitNotices("a acquired");
        a.stop();
        V1Lease before = lease();

        b.prepare();
        ApiClient nobody = client(plane.kubeconfigFor("nobody"));
        new LeaderElector(config, ElectionParts.of(nobody, Clock.system(), timer, new SimpleMeterRegistry(), () -> {}))
                .prepare();

        assertThat(lease()).isEqualTo(before);
        assertThat(b.isLeading()).isFalse();
    }

    @Test
    void aReleaseIsNoticedThoughTheNextPollIsFarOff() throws Exception {
        LeaderElectionConfig seldom = ElectionConfigs.withTimings(
                ElectionConfigs.of(namespace, "lease"),
                Duration.ofSeconds(600),
                Duration.ofSeconds(500),
                Duration.ofSeconds(300));
        LeaderElector a = compete(ElectionConfigs.withIdentity(seldom, "a"), admin);
        awaitNotices("a acquired");
        LeaderElector b = compete(ElectionConfigs.withIdentity(seldom, "b"), admin);
        await().until(() -> "a".equals(b.status().holder()));

        a.stop();

        awaitNotices("a acquired", "a lost", "b acquired");
        assertThat(b.status().watchError()).isNull();
    }

    @Test
    void aReleaseIsNoticedAlsoAfterTheWatchesConnectionWasCut() throws Exception {
        LeaderElectionConfig seldom = ElectionConfigs.withTimings(
                ElectionConfigs.of(namespace, "lease"),
                Duration.ofSeconds(600),
                Duration.ofSeconds(500),
                Duration.ofSeconds(300));
        LeaderElector a = compete(ElectionConfigs.withIdentity(seldom, "a"), admin);
        awaitNotices("a acquired");
        try (TcpProxy proxy = new TcpProxy(plane.apiServerUrl())) {
            ApiClient cut =
                    client(plane.kubeconfig().replace(plane.apiServerUrl().toString(), proxy.url()));
            LeaderElector b = compete(ElectionConfigs.withIdentity(seldom, "b"), cut);
            await().until(() -> "a".equals(b.status().holder()));
            proxy.cut();
            await().until(() -> b.status().watchError() != null);
            proxy.restore();

            a.stop();

            awaitNotices("a acquired", "a lost", "b acquired");
            await().until(() -> b.status().watchError() == null);
            b.stop();
        }
    }

    @Test
    void allLeasesAreListedAndTheRightForItIsMissedByName() throws Exception {
        LeaderElector a = compete("a", admin, namespace);
        awaitNotices("a acquired");

        assertThat(a.lock.list())
                .singleElement()
                .satisfies(lease -> assertThat(Leases.holder(lease)).isEqualTo("a"));
        LeaseLock nobody = new ApiLeaseLock(
                ElectionConfigs.of(namespace, "lease"), client(plane.kubeconfigFor("nobody")), Clock.system(), timer);
        assertThatThrownBy(nobody::list)
                .isInstanceOf(LeaseException.class)
                .hasMessageStartingWith(
                        "missing permission: list leases.coordination.k8s.io in namespace \"" + namespace + "\"");
    }

    @Test
    void theRightToWatchIsMissedByNameAndNotNeeded() throws Exception {
        grant("nobody", "get");
        grant("nobody", "get", "create", "update");
        LeaderElector a = compete("a", client(plane.kubeconfigFor("nobody")), namespace);
        awaitNotices("a acquired");

        await().untilAsserted(() -> assertThat(a.status().watchError())
                .isEqualTo("missing permission: watch leases.coordination.k8s.io \"lease\" in namespace \"" + namespace
                        + "\""));
        assertThat(a.status().lastError()).isNull();
    }

    @Test
    void theRightToWatchTheLeaseByItsNameIsEnough() throws Exception {
        bind("named", role(rule("get", "update", "watch").addResourceNamesItem("lease")));
        LeaderElectionConfig seldom = ElectionConfigs.withTimings(
                ElectionConfigs.of(namespace, "lease"),
                Duration.ofSeconds(600),
                Duration.ofSeconds(500),
                Duration.ofSeconds(300));
        LeaderElector a = compete(ElectionConfigs.withIdentity(seldom, "a"), admin);
        awaitNotices("a acquired");
        LeaderElector b = compete(ElectionConfigs.withIdentity(seldom, "b"), client(plane.kubeconfigFor("named")));
        await().until(() -> "a".equals(b.status().holder()));
        a.stop();

        awaitNotices("a acquired", "a lost", "b acquired");
        assertThat(b.status().watchError()).isNull();
    }

    @Test
    void aLeaseDeletedByHandIsMadeAgainByItsHolder() throws Exception {
        compete("a", admin, namespace);
        awaitNotices("a acquired");
        LeaderElector b = compete("b", admin, namespace);
        // Whoever has not seen a holder takes a Lease that is not there.
        await().until(() -> "a".equals(b.status().holder()));
        String uid = Objects.requireNonNull(lease().getMetadata()).getUid();
        new CoordinationV1Api(admin).deleteNamespacedLease("lease", namespace).execute();

        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(
                                Objects.requireNonNull(lease().getMetadata()).getUid())
                        .isNotEqualTo(uid));
        assertThat(spec().getHolderIdentity()).isEqualTo("a");
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void aLabelSetByHandCostsNoLeadershipAndStays() throws Exception {
        LeaderElector a = compete("a", admin, namespace);
        awaitNotices("a acquired");
        for (int i = 0; i < 3; i++) {
            V1Patch patch =
                    new V1Patch("[{\"op\":\"add\",\"path\":\"/metadata/labels\",\"value\":{\"n\":\"" + i + "\"}}]");
            PatchUtils.patch(
                    V1Lease.class,
                    () -> new CoordinationV1Api(admin)
                            .patchNamespacedLease("lease", namespace, patch)
                            .buildCall(null),
                    V1Patch.PATCH_FORMAT_JSON_PATCH,
                    admin);
            V1LeaseSpec before = spec();
            await().untilAsserted(() -> assertThat(spec().getRenewTime()).isAfter(before.getRenewTime()));
        }

        assertThat(Objects.requireNonNull(lease().getMetadata()).getLabels()).containsEntry("n", "2");
        assertThat(a.isLeading()).isTrue();
        assertThat(notices).containsExactly("a acquired");
    }

    @Test
    void aMissingPermissionIsReportedByName() throws Exception {
        LeaderElector a = compete("a", client(plane.kubeconfigFor("nobody")), namespace);

        await().untilAsserted(() -> assertThat(a.status().lastError())
                .startsWith("missing permission: get leases.coordination.k8s.io \"lease\" in namespace \"" + namespace
                        + "\""));
        grant("nobody", "get");
        await().untilAsserted(() ->
                assertThat(a.status().lastError()).startsWith("missing permission: create leases.coordination.k8s.io"));
        grant("nobody", "get", "create");
        awaitNotices("a acquired");
        await().untilAsserted(() ->
                assertThat(a.status().lastError()).startsWith("missing permission: update leases.coordination.k8s.io"));
        grant("nobody", "get", "create", "update");
        await().untilAsserted(() -> assertThat(a.status().lastError()).isNull());
    }

    @Test
    void aMissingNamespaceIsReportedAndTriedAgain() throws Exception {
        LeaderElector a = compete("a", admin, "nowhere-at-all");

        await().untilAsserted(() -> assertThat(a.status().lastError())
                .isEqualTo("namespace \"nowhere-at-all\" of Lease nowhere-at-all/lease does not exist"));
        assertThat(a.isLeading()).isFalse();
    }

    private LeaderElector compete(String identity, ApiClient client, String leaseNamespace) {
        return compete(
                ElectionConfigs.withTimings(
                        ElectionConfigs.of(leaseNamespace, "lease", identity),
                        Duration.ofSeconds(15),
                        Duration.ofSeconds(10),
                        Duration.ofMillis(200)),
                client);
    }

    private LeaderElector compete(LeaderElectionConfig config, ApiClient client) {
        LeaderElector elector = new LeaderElector(
                config, ElectionParts.of(client, Clock.system(), timer, new SimpleMeterRegistry(), () -> {}));
        electors.add(elector);
        elector.start(new NotingListener(config.identity(), notices));
        return elector;
    }

    /** The first grant of a test makes the role, the next ones replace what it allows. */
    private void grant(String user, String... verbs) throws Exception {
        RbacAuthorizationV1Api rbac = new RbacAuthorizationV1Api(admin);
        if (verbs.length > 1) {
            rbac.replaceNamespacedRole("leases", namespace, role(rule(verbs))).execute();
            return;
        }
        bind(user, role(rule(verbs)));
    }

    private void bind(String user, V1Role role) throws Exception {
        RbacAuthorizationV1Api rbac = new RbacAuthorizationV1Api(admin);
        rbac.createNamespacedRole(namespace, role).execute();
        rbac.createNamespacedRoleBinding(
                        namespace,
                        new V1RoleBinding()
                                .metadata(new V1ObjectMeta().name("leases"))
                                .roleRef(new V1RoleRef()
                                        .apiGroup("rbac.authorization.k8s.io")
                                        .kind("Role")
                                        .name("leases"))
                                .addSubjectsItem(new RbacV1Subject()
                                        .apiGroup("rbac.authorization.k8s.io")
                                        .kind("User")
                                        .name(user)))
                .execute();
    }

    private static V1Role role(V1PolicyRule... rules) {
        return new V1Role().metadata(new V1ObjectMeta().name("leases")).rules(List.of(rules));
    }

    private static V1PolicyRule rule(String... verbs) {
        return new V1PolicyRule()
                .addApiGroupsItem("coordination.k8s.io")
                .addResourcesItem("leases")
                .verbs(List.of(verbs));
    }

    private void awaitNotices(String... expected) {
        await().untilAsserted(() -> assertThat(notices).containsExactly(expected));
    }

    private V1Lease lease() throws Exception {
        return new CoordinationV1Api(admin)
                .readNamespacedLease("lease", namespace)
                .execute();
    }

    private V1LeaseSpec spec() throws Exception {
        return Objects.requireNonNull(lease().getSpec());
    }

    private static ApiClient client(String kubeconfig) throws IOException {
        return ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new StringReader(kubeconfig)))
                .build();
    }
}
