package io.controllermanager.testing.failover;

import static org.awaitility.Awaitility.await;

import io.controllermanager.testing.support.AwaitilityLimit;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1RoleRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts etcd back to a copy, again and again, under three replicas that have Foos, Networks and Websites, and prints a line for
 * each time: after how long all was right again, and what the audit log says of who worked. In every fifth round another
 * replica has taken the Lease since the copy was made, and the one that the copy names stands by.
 *
 * <p>Usage: {@code RestoreRun JAR CONFIG_FOLDER WEBSITE_CRD WEBSITE_CLASSES ROUNDS SEED}; the jar is the executable laid out. Ends with 1
 * if something was wrong for longer than a minute, or somebody worked who did not lead.
 */
public final class RestoreRun implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final int REPLICAS = 3;
    private static final int WRITES_BEFORE = 300;
    private static final int WRITES_AFTER = 100;
    private static final int EARLIER_HOLDER_EVERY = 5;

    private final Cluster cluster;
    private final Replicas replicas;
    private final Samples samples;
    private final History history;
    private final List<Judge.Restore> restores = new ArrayList<>();
    private final Set<Judge.Finding> known = new HashSet<>();

    private RestoreRun(Cluster cluster, Launch launch, long seed) {
        this.cluster = cluster;
        this.replicas = new Replicas(launch);
        this.samples = new Samples(cluster.client(), seed);
        this.history = new History(cluster.plane().auditLogs());
    }

    /** Plays all rounds. */
    public static void main(String[] args) throws Exception {
        AwaitilityLimit.set();
        Path directory = Files.createTempDirectory("restore-run-");
        Path config = Path.of(args[1]);
        System.err.println("# audit log and logs: " + directory);
        Cluster cluster = Cluster.start(
                config,
                directory,
                Work.UNDIVIDED,
                config.resolve("crd/bases/sample.k8s.io_networks.yaml"),
                Path.of(args[2]));
        Launch launch = new Launch(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"),
                Path.of(args[0]),
                cluster.plane(),
                directory,
                Timings.DEFAULTS,
                Work.UNDIVIDED,
                "*",
                Path.of(args[3]),
                List.of("com.example.website.WebsiteReconciler", "com.example.website.DnsRecords"));
        boolean good = true;
        try (RestoreRun run = new RestoreRun(cluster, launch, Long.parseLong(args[5]))) {
            run.begin();
            System.out.println(
                    "round\tleader_before\tholder_in_copy\tholder_after\taway_ms\twrong_at_first\tright_after_ms"
                            + "\twrites\tafter_restore\tverdict");
            for (int round = 1; round <= Integer.parseInt(args[4]); round++) {
                good &= run.round(round);
            }
        }
        System.exit(good ? 0 : 1);
    }

    private void begin() throws ApiException, IOException {
        new RbacAuthorizationV1Api(cluster.client())
                .createClusterRoleBinding(new V1ClusterRoleBinding()
                        .metadata(new V1ObjectMeta().name("replicas-of-all"))
                        .roleRef(new V1RoleRef()
                                .apiGroup("rbac.authorization.k8s.io")
                                .kind("ClusterRole")
                                .name("cluster-admin"))
                        .addSubjectsItem(new RbacV1Subject()
                                .kind("Group")
                                .apiGroup("rbac.authorization.k8s.io")
                                .name(Launch.GROUP)))
                .execute();
        for (int i = 0; i < REPLICAS; i++) {
            replicas.start();
        }
        replicas.awaitReady();
        samples.fill();
        awaitRight();
    }

    private boolean round(int number) throws ApiException, IOException, InterruptedException {
        Replica leader = leader();
        String copy = "round-" + number;
        String holder = cluster.holder(Launch.LEASE);
        cluster.plane().copyEtcd(copy);
        if (number % EARLIER_HOLDER_EVERY == 0) {
            leader.proxy().cut();
            await("another takes the Lease")
                    .until(() ->
                            !cluster.holder(Launch.LEASE).isEmpty() && !leader.holds(cluster.holder(Launch.LEASE)));
            leader.proxy().restore();
        }
        samples.write(WRITES_BEFORE);
        if (number % 2 == 1) {
            // In other rounds some of these are still to be worked on.
            awaitRight();
        }
        String before = leader().name();
        Instant begin = Instant.now();
        cluster.plane().stopApiServer();
        Instant away = Instant.now();
        cluster.plane().restoreEtcd(copy);
        Instant back = Instant.now();
        restores.add(new Judge.Restore(away, back, holder));
        samples.write(WRITES_AFTER);
        int wrong = samples.wrong().size();
        awaitRight();
        Duration took = Duration.between(back, Instant.now());
        String after = leader().name();
        // What comes later is judged in the next round, and after the last one not at all.
        Thread.sleep(Timings.DEFAULTS.leaseDuration().toMillis());
        List<Judge.Finding> findings = judge();
        long violations = findings.stream()
                .filter(finding -> finding.kind() == Judge.Kind.VIOLATION)
                .peek(finding -> System.err.println(finding))
                .count();
        List<String> left = samples.wrong();
        boolean good = took.compareTo(LIMIT) <= 0 && violations == 0 && left.isEmpty();
        System.out.printf(
                "%d\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s%n",
                number,
                before,
                holder.replaceFirst("_.*", ""),
                after,
                Duration.between(begin, back).toMillis(),
                wrong,
                took.toMillis(),
                history.events().stream().filter(this::isWriteOfReplica).count(),
                findings.size() - violations,
                good ? "ok" : violations + " violations, left wrong: " + left);
        return good;
    }

    private boolean isWriteOfReplica(AuditEvent event) {
        return event.isWrite()
                && replicas.all().stream().anyMatch(replica -> replica.name().equals(event.user()));
    }

    /** What has been found since the last time. */
    private List<Judge.Finding> judge() throws IOException {
        StampClock clock = StampClock.read();
        Map<String, Collection<Reconcile>> reconciles = new TreeMap<>();
        replicas.all().forEach(replica -> reconciles.put(replica.name(), replica.reconciles(clock)));
        history.read();
        Judge judge = new Judge(Timings.DEFAULTS, reconciles.keySet(), restores);
        List<Judge.Finding> findings = new ArrayList<>(judge.judge(history.events(), reconciles, List.of(), Set.of()));
        findings.removeIf(finding -> !known.add(finding));
        return findings;
    }

    private Replica leader() {
        @Nullable Replica[] found = new Replica[1];
        await("a replica leads").until(() -> (found[0] = replicas.of(cluster.holder(Launch.LEASE))) != null);
        return java.util.Objects.requireNonNull(found[0]);
    }

    private void awaitRight() {
        await("all is right").ignoreExceptions().until(() -> samples.wrong().isEmpty());
    }

    @Override
    public void close() {
        replicas.close();
        cluster.close();
    }
}
