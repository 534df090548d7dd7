package io.controllermanager.app.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.controllermanager.app.external.PostgresServer;
import io.controllermanager.app.install.Chart;
import io.controllermanager.app.process.Image;
import io.controllermanager.app.rights.InstalledOperator;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.Programs;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.Controllers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/**
 * {@code examples/tenant-database}, copied, built and installed as somebody would who has nothing but it: beside all of
 * Kubernetes' own controllers and a PostgreSQL for the table of tenants.
 */
@Tag("deep")
class TenantDatabaseExampleIT {

    private static final Path EXAMPLE = Manifests.configDirectory().resolveSibling("examples/tenant-database");
    private static final Path RIGHTS =
            EXAMPLE.resolve("src/main/resources/META-INF/controller-manager/rbac/database.yaml");

    /** It stays there, for whoever wants to look at it. */
    private static final Path COPY = Path.of("target", "tenant-database").toAbsolutePath();

    private static final Path JAR = COPY.resolve("target/tenant-database-operator.jar");

    /**
     * As with the Website: the audit log has neither that an apply creates nor what an admission plugin asks for. Nothing is
     * pruned of two types, and slots are read again only after a conflict.
     */
    private static final Set<String> NOT_SEEN = Set.of(
            "create tenantnames",
            "create persistentvolumeclaims",
            "create services",
            "create statefulsets",
            "delete persistentvolumeclaims",
            "delete services",
            "get configmaps",
            "update databases/finalizers");

    private static final String NAMESPACE = "team-of-the-database";

    private static BuiltArtifacts artifacts;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    @BeforeAll
    static void buildOutsideTheReactor(@TempDir Path repository) throws Exception {
        FileSystemUtils.deleteRecursively(COPY);
        FileSystemUtils.copyRecursively(EXAMPLE, COPY);
        // Somebody may have built it where it is.
        FileSystemUtils.deleteRecursively(COPY.resolve("target"));
        artifacts = new BuiltArtifacts(repository);
        artifacts.maven(COPY, "verify", "-Dtest=!DatabaseCrashTests", artifacts.versionOption());
    }

    @AfterAll
    static void forget() throws IOException {
        artifacts.close();
    }

    /** Each play of a life, with the process lost after another write, takes part of a second. */
    @Test
    void comesToTheSameEndWhereverItsProcessIsLost() throws Exception {
        artifacts.maven(COPY, "surefire:test", "-Dtest=DatabaseCrashTests", artifacts.versionOption());
    }

    @Test
    void installedByHelmItTakesAwayInOrderWhatItHasMade(@TempDir Path database) throws Exception {
        try (PostgresServer tenants = PostgresServer.start(database);
                ControlPlane plane = ControlPlane.builder()
                        .controllers(Controllers.ALL)
                        .scheduler(true)
                        .kwokNodes(1)
                        .apiServerFlag("enable-admission-plugins", "OwnerReferencesPermissionEnforcement")
                        .start();
                InstalledOperator operator = install(plane, tenants)) {
            execute(tenants, """
                    create table tenants (name text primary key, plan text not null, database text not null);
                    create table gone (name text primary key, at timestamptz not null);
                    create function note() returns trigger language plpgsql as $$
                      begin insert into gone values (old.name, clock_timestamp()); return old; end $$;
                    create trigger noted before delete on tenants for each row execute function note()""");
            operator.awaitReady();
            kubectl(plane, "create", "namespace", NAMESPACE);
            apply(plane, volumes(6));
            kubectl(plane, "apply", "-f", EXAMPLE.resolve("config/samples").toString());
            awaitReason(plane, "orders", "Serving");
            // A copy each minute, of which one is made while the rest of this goes on.
            patch(plane, "database/orders", """
                    {"spec": {"backups": {"schedule": "* * * * *", "keep": 1}, "users": [
                      {"namespace": "default", "name": "office"}]}}""");

            tearDown(plane, operator, tenants, "background", "");
            tearDown(plane, operator, tenants, "foreground", "");
            tearDown(plane, operator, tenants, "orphan", "job service service ");

            patch(plane, "databaseclass/small", """
                    {"spec": {"image": "postgres:17.7"}}""");
            await("the image is rolled out")
                    .until(() -> kubectl(
                                    plane,
                                    "get",
                                    "statefulset/orders",
                                    "--output=jsonpath={.spec.template.spec.containers[0].image} {.status.readyReplicas}")
                            .equals("postgres:17.7 1"));
            awaitReason(plane, "orders", "Serving");
            assertThat(kubectl(plane, "get", "secret", "--namespace=default", "--output=name"))
                    .isEqualTo("secret/orders-user-office\n");
            await("a copy is made")
                    .until(() -> !kubectl(plane, "get", "database/orders", "--output=jsonpath={.status.lastBackup}")
                            .isEmpty());
            kubectl(plane, "delete", "database/orders");
            operator.uninstall();

            operator.expectAllUsed(RIGHTS, NOT_SEEN);
        }
    }

    /**
     * Deletes a Database while the table of tenants is down, and kills the operator meanwhile.
     *
     * @param left the kinds of what stays besides the volumes
     */
    private static void tearDown(
            ControlPlane plane, InstalledOperator operator, PostgresServer tenants, String cascade, String left)
            throws Exception {
        apply(plane, """
                apiVersion: example.com/v1
                kind: Database
                metadata: {name: %1$s}
                spec: {tenant: %1$s, className: small, users: [{namespace: default, name: %1$s}]}
                """.formatted(cascade));
        awaitReason(plane, cascade, "Serving");

        tenants.kill();
        kubectl(plane, "delete", "database/" + cascade, "--cascade=" + cascade, "--wait=false");
        awaitReason(plane, cascade, "TenantUnreachable");
        operator.killAndRestart();
        kubectl(plane, "get", "statefulset/" + cascade);
        tenants.start();
        await(cascade + " is gone")
                .until(() ->
                        kubectl(plane, "get", "databases", "--output=name").equals("database.example.com/orders\n"));

        assertThat(firstDeletion(plane, "statefulsets", cascade)).isAfter(rowGone(tenants, cascade));
        await("nothing is left but the volumes")
                .untilAsserted(() -> assertThat(left(plane, cascade))
                        .isEqualTo(left + "persistentvolumeclaim persistentvolumeclaim "));
        assertThat(kubectl(plane, "get", "tenantnames", "--output=name")).isEqualTo("tenantname.example.com/acme\n");
    }

    /** The kinds of all that is called as a Database, in the order in which kubectl is asked. */
    private static String left(ControlPlane plane, String name) throws IOException, InterruptedException {
        StringBuilder kinds = new StringBuilder();
        for (String line : kubectl(
                        plane,
                        "get",
                        "jobs,services,secrets,statefulsets,persistentvolumeclaims",
                        "--all-namespaces",
                        "--output=jsonpath={range .items[*]}{.kind} {.metadata.name}{\"\\n\"}{end}")
                .lines()
                .toList()) {
            String[] words = line.split(" ");
            if (words[1].equals(name) || words[1].startsWith(name + "-")) {
                kinds.append(words[0].toLowerCase(Locale.ROOT)).append(' ');
            }
        }
        return kinds.toString();
    }

    /** When anybody has first asked for the deletion of an object, by the audit log. */
    private static Instant firstDeletion(ControlPlane plane, String resource, String name) throws IOException {
        return AuditedDeletions.of(plane.auditLog()).first(resource, name);
    }

    private static Instant rowGone(PostgresServer tenants, String name) throws SQLException {
        try (Connection connection = tenants.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select at from gone where name = '" + name + "'")) {
            assertThat(rows.next()).isTrue();
            return rows.getTimestamp(1).toInstant();
        }
    }

    private static void execute(PostgresServer tenants, String sql) throws SQLException {
        try (Connection connection = tenants.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Nothing provides volumes here. */
    private static String volumes(int count) {
        StringBuilder manifest = new StringBuilder();
        for (int i = 0; i < count * 2; i++) {
            manifest.append("""
                    apiVersion: v1
                    kind: PersistentVolume
                    metadata: {name: volume-%d}
                    spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /volumes}}
                    ---
                    """.formatted(i));
        }
        return manifest.toString();
    }

    private static void apply(ControlPlane plane, String manifest) throws IOException, InterruptedException {
        Path file = Files.createTempFile("manifest", ".yaml");
        try {
            kubectl(plane, "apply", "-f", Files.writeString(file, manifest).toString());
        } finally {
            Files.delete(file);
        }
    }

    private static void patch(ControlPlane plane, String object, String json) throws IOException, InterruptedException {
        kubectl(plane, "patch", object, "--type=merge", "--patch=" + json);
    }

    private static void awaitReason(ControlPlane plane, String name, String reason) {
        await(name + ": " + reason)
                .until(
                        () -> kubectl(
                                plane,
                                "get",
                                "database/" + name,
                                "--output=jsonpath={.status.conditions[?(@.type==\"Ready\")].reason}"),
                        reason::equals);
    }

    private static String kubectl(ControlPlane plane, String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("--namespace=" + NAMESPACE));
        all.addAll(List.of(arguments));
        return Programs.runOn(plane, "kubectl", all.toArray(String[]::new)).expectOut();
    }

    private InstalledOperator install(ControlPlane plane, PostgresServer tenants) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "--set=image.repository=registry.example.com/tenant-database-operator",
                "--set=image.tag=1.0.0",
                "--set=properties.spring\\.datasource\\.url=" + tenants.url(),
                // The pool tells of each connection that it has lost.
                "--set=properties.logging\\.level\\.com\\.zaxxer\\.hikari=error",
                "--set-file=rights.database=" + RIGHTS));
        for (String type : List.of("databases", "databaseclasses", "tenantnames")) {
            all.add("--set-file=customResources." + type + "="
                    + EXAMPLE.resolve("config/crd/" + type + ".example.com.yaml"));
        }
        return InstalledOperator.install(
                plane,
                Chart.own(),
                Image.ofOneJar(JAR),
                "tenant-database-operator",
                directory,
                all.toArray(String[]::new));
    }
}
