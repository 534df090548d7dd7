package com.example.database;

import io.controllermanager.schedule.Slot;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1EnvVarSource;
import io.kubernetes.client.openapi.models.V1ExecAction;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1Lifecycle;
import io.kubernetes.client.openapi.models.V1LifecycleHandler;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimSpec;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimVolumeSource;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1SecretKeySelector;
import io.kubernetes.client.openapi.models.V1SecretVolumeSource;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;
import io.kubernetes.client.openapi.models.V1TCPSocketAction;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import io.kubernetes.client.openapi.models.V1VolumeResourceRequirements;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.HmacAlgorithms;
import org.apache.commons.codec.digest.HmacUtils;

/** What a Database becomes: functions of its spec and its class. */
record Children(Database database, DatabaseClass.Spec databaseClass) {

    static final String DATA = "data";
    static final String BACKUPS = "backups";

    /** An annotation by which a person gives the volume of a Database that is gone to the next of its name. */
    static final String GIVEN_AWAY = "example.com/given-away";

    private static final String PURPOSE = "example.com/purpose";
    private static final String SLOT = "example.com/slot";
    private static final String ADMIN = "admin";
    private static final String PASSWORD = "password";
    private static final String SERVER = "server";
    private static final String SCRIPT = "script";
    private static final String FILE = "script.sql";
    private static final int PORT = 5432;

    /** A retained volume has the password of a Database that is gone, but the image trusts who comes by the socket. */
    private static final String SET_PASSWORD =
            "until psql --host=/var/run/postgresql --command=\"alter role postgres password '$PGPASSWORD'\"; do sleep 1; done";

    private static final String NO_USERS =
            "select format('alter role %I nologin', rolname) from pg_roles where rolname ~ '^user_' \\gexec\n";

    static boolean isGivenAway(KubernetesObject volume) {
        Map<String, String> annotations = volume.getMetadata().getAnnotations();
        return annotations != null && "true".equals(annotations.get(GIVEN_AWAY));
    }

    String owner() {
        return database.namespace() + "/" + database.name();
    }

    String endpoint() {
        return database.name() + "." + database.namespace() + ".svc:" + PORT;
    }

    TenantName tenantName() {
        TenantName name = new TenantName();
        name.setMetadata(new V1ObjectMeta().name(database.spec().tenant()));
        name.setSpec(new TenantName.Spec(owner()));
        return name;
    }

    /** Made once. The server takes the password over when it starts. */
    V1Secret admin() {
        String password = UUID.randomUUID().toString();
        return new V1Secret().metadata(named(ADMIN)).putDataItem(PASSWORD, bytes(password));
    }

    V1Secret login(Database.User user, V1Secret admin) {
        return new V1Secret()
                .metadata(named("user-" + user.name()).namespace(user.namespace()))
                .putDataItem("endpoint", bytes(endpoint()))
                .putDataItem("username", bytes(role(user)))
                .putDataItem(PASSWORD, bytes(password(user, admin)));
    }

    /** With a prefix, so that nobody gets the role of the superuser. */
    private static String role(Database.User user) {
        return "user_" + user.name();
    }

    /** Always the same, so that it need not be read where others may write. */
    private static String password(Database.User user, V1Secret admin) {
        byte[] secret = admin.getData().get(PASSWORD);
        return new HmacUtils(HmacAlgorithms.HMAC_SHA_256, secret).hmacHex(user.namespace() + "/" + user.name());
    }

    /** May run again. Those who are no users any more cannot log in. */
    V1Secret script(V1Secret admin) {
        String sql = database.spec().users().stream()
                .map(user -> """
                        do 'begin create role %1$s; exception when duplicate_object then null; end';
                        alter role %1$s login password '%2$s';
                        """.formatted(role(user), password(user, admin)))
                .collect(Collectors.joining("", NO_USERS, ""));
        return new V1Secret().metadata(named(SCRIPT)).putDataItem(FILE, bytes(sql));
    }

    V1PersistentVolumeClaim volume(String purpose) {
        return new V1PersistentVolumeClaim()
                .metadata(named(purpose))
                .spec(new V1PersistentVolumeClaimSpec()
                        .addAccessModesItem("ReadWriteOnce")
                        .resources(new V1VolumeResourceRequirements()
                                .putRequestsItem("storage", databaseClass.storage())));
    }

    /** Gives the server's Pod a name within the cluster, for the Jobs. */
    V1Service governing() {
        return service().metadata(named(SERVER)).spec(serving().clusterIP("None"));
    }

    /** For the users. */
    V1Service service() {
        return new V1Service().spec(serving());
    }

    private V1ServiceSpec serving() {
        return new V1ServiceSpec().selector(labels(SERVER)).addPortsItem(new V1ServicePort().port(PORT));
    }

    V1StatefulSet server() {
        V1ExecAction shell = new V1ExecAction().command(List.of("sh", "-c", SET_PASSWORD));
        V1Container postgres = container(DATA)
                .addEnvItem(new V1EnvVar().name("PGDATA").value("/data/files"))
                .addEnvItem(secret("POSTGRES_PASSWORD"))
                .lifecycle(new V1Lifecycle().postStart(new V1LifecycleHandler().exec(shell)))
                .addPortsItem(new V1ContainerPort().containerPort(PORT))
                .readinessProbe(new V1Probe().tcpSocket(new V1TCPSocketAction().port(new IntOrString(PORT))));
        return new V1StatefulSet()
                .spec(new V1StatefulSetSpec()
                        .replicas(1)
                        .serviceName(name(SERVER))
                        .selector(new V1LabelSelector().matchLabels(labels(SERVER)))
                        .template(pod(SERVER, postgres, claim(DATA))));
    }

    /** Another script, or another image, makes another Job, since a Job cannot be changed. */
    V1Job initialisation(V1Secret script) {
        V1Volume file = new V1Volume().name(SCRIPT).secret(new V1SecretVolumeSource().secretName(name(SCRIPT)));
        V1Container psql = container(SCRIPT)
                .command(List.of("psql", "--single-transaction", "--set=ON_ERROR_STOP=1", "--file=/script/" + FILE));
        int content = Objects.hash(Arrays.hashCode(script.getData().get(FILE)), databaseClass.image());
        return job("init", Integer.toHexString(content), psql, file);
    }

    /** By the image that the server runs: its class may name one that does not start. */
    V1Job backup(Slot slot, V1StatefulSet server) {
        V1PodSpec running = server.getSpec().getTemplate().getSpec();
        V1Container dump = container(BACKUPS)
                .image(running.getContainers().get(0).getImage())
                .command(List.of("pg_dumpall", "--file=/backups/" + slot.suffix()));
        V1Job job = job("backup", slot.suffix(), dump, claim(BACKUPS));
        job.getMetadata().putAnnotationsItem(SLOT, slot.time().toString());
        return job;
    }

    static boolean isBackup(V1Job job) {
        return "backup".equals(job.getMetadata().getLabels().get(PURPOSE));
    }

    static String slotOf(V1Job backup) {
        return backup.getMetadata().getAnnotations().get(SLOT);
    }

    private V1Job job(String purpose, String suffix, V1Container container, V1Volume volume) {
        V1PodTemplateSpec pod = pod(purpose, container, volume);
        pod.getSpec().restartPolicy("OnFailure");
        return new V1Job()
                .metadata(named(purpose + "-" + suffix).labels(labels(purpose)))
                .spec(new V1JobSpec().template(pod));
    }

    private V1PodTemplateSpec pod(String purpose, V1Container container, V1Volume volume) {
        return new V1PodTemplateSpec()
                .metadata(new V1ObjectMeta().labels(labels(purpose)))
                .spec(new V1PodSpec().addContainersItem(container).addVolumesItem(volume));
    }

    private V1Volume claim(String purpose) {
        V1PersistentVolumeClaimVolumeSource claim = new V1PersistentVolumeClaimVolumeSource();
        return new V1Volume().name(purpose).persistentVolumeClaim(claim.claimName(name(purpose)));
    }

    private V1Container container(String volume) {
        String host = database.name() + "-0." + name(SERVER);
        return new V1Container()
                .name("postgres")
                .image(databaseClass.image())
                .addEnvItem(new V1EnvVar().name("PGHOST").value(host))
                .addEnvItem(new V1EnvVar().name("PGUSER").value("postgres"))
                .addEnvItem(secret("PGPASSWORD"))
                .addVolumeMountsItem(new V1VolumeMount().name(volume).mountPath("/" + volume));
    }

    private V1EnvVar secret(String variable) {
        V1SecretKeySelector password =
                new V1SecretKeySelector().name(name(ADMIN)).key(PASSWORD);
        return new V1EnvVar().name(variable).valueFrom(new V1EnvVarSource().secretKeyRef(password));
    }

    private V1ObjectMeta named(String suffix) {
        return new V1ObjectMeta().name(name(suffix));
    }

    private String name(String suffix) {
        return database.name() + "-" + suffix;
    }

    private Map<String, String> labels(String purpose) {
        return Map.of("app.kubernetes.io/instance", database.name(), PURPOSE, purpose);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
