package io.controllermanager.benchmarks.throughput;

import io.controllermanager.benchmarks.plane.EtcdObjects;
import io.controllermanager.benchmarks.plane.TokenPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.RequestBody;

/**
 * An etcd and a kube-apiserver that know Foos, and nothing else, so that the Deployments' own controllers take no
 * processor time.
 */
public final class FooPlane implements AutoCloseable {

    /** Where all Foos are. */
    public static final String NAMESPACE = "default";

    /** The wave's rate: twice that of the fastest contender, so that none waits for it. */
    private static final int FOOS_PER_SECOND = 3_000;

    private static final String FOOS = "samplecontroller.k8s.io/foos/";
    private static final MediaType JSON = MediaType.get("application/json");

    private final TokenPlane plane = new TokenPlane();

    /** Starts both and applies the CRD. */
    public FooPlane(Path crd) throws IOException, InterruptedException {
        String kubeconfig = plane.plane().kubeconfigFile().toString();
        run("kubectl", "--kubeconfig", kubeconfig, "apply", "-f", crd.toString());
        run(
                "kubectl",
                "--kubeconfig",
                kubeconfig,
                "wait",
                "--for=condition=Established",
                "crd/foos.samplecontroller.k8s.io");
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    /** Where contenders find the API server. */
    public Path kubeconfigFile() {
        return plane.kubeconfigFile();
    }

    /** Removes all Foos and what contenders made, and returns once the API server knows. */
    public void clear() throws IOException, InterruptedException {
        EtcdObjects etcd = plane.etcd();
        etcd.removeAll(FOOS);
        etcd.removeAll("deployments/");
        etcd.removeAll("leases/" + NAMESPACE + "/");
        etcd.removeAll("events/" + NAMESPACE + "/");
        plane.awaitCount(foos(), 0);
        plane.awaitCount(deployments(), 0);
    }

    /** Makes Foos at once, and returns when the API server knows them, besides those that were there. */
    public void makeFoos(String prefix, int count) throws IOException, InterruptedException {
        put(prefix, count, Integer.MAX_VALUE);
        plane.awaitCount(foos(), count);
    }

    /** Makes Foos at a rate that no contender reaches. */
    void makeWave(String prefix, int count) throws IOException, InterruptedException {
        put(prefix, count, FOOS_PER_SECOND);
    }

    /** Past the API server, by names {@code prefix-00000} and so on. */
    private void put(String prefix, int count, int perSecond) throws IOException, InterruptedException {
        plane.etcd().put(count, perSecond, index -> stored(name(prefix, index)));
    }

    static String name(String prefix, int index) {
        return String.format("%s-%05d", prefix, index);
    }

    private static EtcdObjects.Stored stored(String name) {
        return new EtcdObjects.Stored(FOOS + NAMESPACE + "/" + name, """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"%s",\
                "namespace":"%s","uid":"%s","generation":1,"creationTimestamp":"%s"},\
                "spec":{"deploymentName":"%s","replicas":1}}""".formatted(
                        name, NAMESPACE, UUID.randomUUID(), Instant.now().truncatedTo(ChronoUnit.SECONDS), name));
    }

    /** Creates one Foo through the API server. */
    void create(String name) throws IOException {
        String foo = """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"%s"},\
                "spec":{"deploymentName":"%s","replicas":1}}""".formatted(name, name);
        plane.send(new Request.Builder().url(foos()).post(RequestBody.create(foo, JSON)));
    }

    /** Watches Deployments that are made from now on. */
    public ArrivalWatch watchDeployments() throws IOException {
        return watch(deployments(), "", ArrivalWatch.Sign.ADDED);
    }

    /** Watches Foos whose status is written from now on. */
    public ArrivalWatch watchStatuses() throws IOException {
        return watch(foos(), "", ArrivalWatch.Sign.STATUS);
    }

    /** Watches Events about Foos that are made from now on. */
    public ArrivalWatch watchEvents() throws IOException {
        return watch(events(), "&fieldSelector=involvedObject.kind%3DFoo", ArrivalWatch.Sign.ADDED);
    }

    private ArrivalWatch watch(String collection, String selector, ArrivalWatch.Sign sign) throws IOException {
        return new ArrivalWatch(plane.client(), collection + "?watch=true" + selector, sign, plane.version(collection));
    }

    /** The revision of all that is stored, which each write raises by one; from Events, which come past the watch cache. */
    public long revision() throws IOException {
        return Long.parseLong(plane.version(events()));
    }

    private String foos() {
        return plane.url("/apis/samplecontroller.k8s.io/v1alpha1/namespaces/" + NAMESPACE + "/foos");
    }

    private String events() {
        return plane.url("/api/v1/namespaces/" + NAMESPACE + "/events");
    }

    private String deployments() {
        return plane.url("/apis/apps/v1/namespaces/" + NAMESPACE + "/deployments");
    }

    @Override
    public void close() {
        plane.close();
    }
}
