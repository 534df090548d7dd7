package io.controllermanager.testing.failover;

import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1RoleRef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Replicas that one rolling update after the other moves to other Leases, while Foos are written all the time. It is judged from
 * the audit log, and from the replicas' own records of their reconciles, whether two of them ever were at work at a time.
 */
public final class LeaseMoveRun implements AutoCloseable {

    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final String ROLE = "moves";
    private static final String OTHER = "another-manager";
    private static final String FORMER = "--controller-manager.leader-election.former-resource-name=";

    /** By which Leases replicas work. */
    public enum Leases {
        /** One for all controllers. */
        SHARED(Launch.NAME + Launch.LEASE),
        /** One for each controller. */
        FOR_EACH(Launch.NAME + Launch.LEASE, "--controller-manager.leader-election.lease-per-controller=true"),
        /** One of another name. */
        OTHER_NAME(Launch.NAME + OTHER, FORMER + Launch.LEASE),
        /** One of the first name again. */
        NAME_AGAIN(Launch.NAME + Launch.LEASE, FORMER + OTHER);

        private final List<String> arguments;

        Leases(String... arguments) {
            this.arguments = List.of(arguments);
        }
    }

    private final Cluster cluster;
    private final Launch launch;
    private final int number;
    private final RollingUpdates updates;

    private LeaseMoveRun(Cluster cluster, Launch launch, int number) {
        this.cluster = cluster;
        this.launch = launch;
        this.number = number;
        this.updates = new RollingUpdates(cluster, launch);
    }

    /**
     * Starts replicas that share one Lease, and returns when one of them works.
     *
     * @param java the JVM with its options
     * @param jar the executable, laid out so that the jar names its libraries
     * @param config the project's folder {@code config}
     * @param directory for files, which stay
     * @param number of replicas
     */
    public static LeaseMoveRun start(
            List<String> java, Path jar, Path config, Path directory, Timings timings, int number)
            throws IOException, ApiException {
        Cluster cluster = Cluster.start(config, directory, Work.UNDIVIDED);
        LeaseMoveRun run = new LeaseMoveRun(
                cluster, new Launch(java, jar, cluster.plane(), directory, timings, Work.UNDIVIDED), number);
        try {
            run.begin();
            return run;
        } catch (RuntimeException | AssertionError | IOException | ApiException e) {
            run.close();
            throw e;
        }
    }

    private void begin() throws IOException, ApiException {
        RbacAuthorizationV1Api api = new RbacAuthorizationV1Api(cluster.client());
        api.createNamespacedRole(
                        Launch.NAMESPACE,
                        new V1Role()
                                .metadata(new V1ObjectMeta().name(ROLE))
                                .addRulesItem(new V1PolicyRule()
                                        .apiGroups(List.of("coordination.k8s.io"))
                                        .resources(List.of("leases"))
                                        .resourceNames(List.of(Launch.LEASE + "-foo", OTHER))
                                        .verbs(List.of("get", "update", "watch"))))
                .execute();
        api.createNamespacedRoleBinding(
                        Launch.NAMESPACE,
                        new V1RoleBinding()
                                .metadata(new V1ObjectMeta().name(ROLE))
                                .roleRef(new V1RoleRef()
                                        .apiGroup(RBAC)
                                        .kind("Role")
                                        .name(ROLE))
                                .addSubjectsItem(new RbacV1Subject()
                                        .kind("Group")
                                        .apiGroup(RBAC)
                                        .name(Launch.GROUP)))
                .execute();
        updates.begin(launch.by(Leases.SHARED.arguments), number);
    }

    /** Replaces one replica after the other, the first one by the first, as a Deployment does. */
    public void move(Leases to, boolean kill, Consumer<Move<Leases>> record) throws IOException, InterruptedException {
        RollingUpdates.Update update = updates.update(launch.by(to.arguments), kill);
        Turns turns = turns(update.done());
        // Each may be the one that works more than once, but two that work at a time take turns all the time.
        boolean tooMany = turns.changes() > 4 * number;
        record.accept(Move.of(
                to,
                kill,
                update,
                turns,
                tooMany ? List.of("replicas took turns " + turns.changes() + " times") : List.of()));
    }

    private static Turns turns(List<RollingUpdates.Done> done) {
        return Turns.of(done.stream().map(RollingUpdates.Done::work).toList());
    }

    /** Ends the writes; returns, when all Foos are as they should be, each time in the whole run that two were at work. */
    public List<String> finish() throws IOException, InterruptedException {
        return turns(updates.finish()).together();
    }

    @Override
    public void close() {
        updates.close();
    }
}
