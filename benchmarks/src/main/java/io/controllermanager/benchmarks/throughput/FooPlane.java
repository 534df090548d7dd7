package io.controllermanager.benchmarks.throughput;

import io.controllermanager.benchmarks.plane.EtcdObjects;
import io.controllermanager.benchmarks.plane.LineWatch;
import io.controllermanager.benchmarks.plane.TokenPlane;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.function.Consumer;
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
    private static final MediaType MERGE_PATCH = MediaType.get("application/merge-patch+json");

    private final TokenPlane plane;

    /** Starts both and applies the CRD. */
    public FooPlane(Path crd) throws IOException, InterruptedException {
        this.plane = new TokenPlane();
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

    /** What is below. */
    public TokenPlane plane() {
        return plane;
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
        plane.awaitCount(foos(NAMESPACE), 0);
        plane.awaitCount(deployments(NAMESPACE), 0);
    }

    /** Makes Foos at once, and returns when the API server knows them, besides those that were there. */
    public void makeFoos(String prefix, int count) throws IOException, InterruptedException {
        makeFoos(NAMESPACE, prefix, count);
    }

    /** The same in another namespace, which must be there before Deployments can be. */
    public void makeFoos(String namespace, String prefix, int count) throws IOException, InterruptedException {
        put(namespace, prefix, count, Integer.MAX_VALUE);
        plane.awaitCount(foos(namespace), count);
    }

    /** Makes a namespace. */
    public void makeNamespace(String name) throws IOException {
        String namespace = """
                {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}""".formatted(name);
        plane.send(
                new Request.Builder().url(plane.url("/api/v1/namespaces")).post(RequestBody.create(namespace, JSON)));
    }

    /** Returns once a namespace has so many Deployments. */
    public void awaitDeployments(String namespace, int count) throws IOException, InterruptedException {
        plane.awaitCount(deployments(namespace), count);
    }

    /** Sets the replicas of one Foo, and returns when the API server has answered. */
    public void scale(String namespace, String name, int replicas) throws IOException {
        String patch = "{\"spec\":{\"replicas\":" + replicas + "}}";
        plane.send(
                new Request.Builder().url(foos(namespace) + "/" + name).patch(RequestBody.create(patch, MERGE_PATCH)));
    }

    /** Makes Foos at a rate that no contender reaches. */
    void makeWave(String prefix, int count) throws IOException, InterruptedException {
        put(NAMESPACE, prefix, count, FOOS_PER_SECOND);
    }

    /** Past the API server, by names {@code prefix-00000} and so on. */
    private void put(String namespace, String prefix, int count, int perSecond)
            throws IOException, InterruptedException {
        plane.etcd().put(count, perSecond, index -> stored(namespace, name(prefix, index)));
    }

    /** The name of a Foo, and of its Deployment. */
    public static String name(String prefix, int index) {
        return String.format("%s-%05d", prefix, index);
    }

    private EtcdObjects.Stored stored(String namespace, String name) {
        return new EtcdObjects.Stored(FOOS + namespace + "/" + name, """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"%s",\
                "namespace":"%s","uid":"%s","generation":1,"creationTimestamp":"%s"},\
                "spec":{"deploymentName":"%s","replicas":1}}""".formatted(
                        name, namespace, UUID.randomUUID(), Instant.now().truncatedTo(ChronoUnit.SECONDS), name));
    }

    /** Creates one Foo through the API server. */
    void create(String name) throws IOException {
        String foo = """
                {"apiVersion":"samplecontroller.k8s.io/v1alpha1","kind":"Foo","metadata":{"name":"%s"},\
                "spec":{"deploymentName":"%s","replicas":1}}""".formatted(name, name);
        plane.send(new Request.Builder().url(foos(NAMESPACE)).post(RequestBody.create(foo, JSON)));
    }

    /** Watches Deployments that are made from now on. */
    public ArrivalWatch watchDeployments() throws IOException {
        return watch(deployments(NAMESPACE), "", ArrivalWatch.Sign.ADDED);
    }

    /** Watches Foos whose status is written from now on. */
    public ArrivalWatch watchStatuses() throws IOException {
        return watch(foos(NAMESPACE), "", ArrivalWatch.Sign.STATUS);
    }

    /** Watches Events about Foos that are made from now on. */
    public ArrivalWatch watchEvents() throws IOException {
        return watch(events(), "&fieldSelector=involvedObject.kind%3DFoo", ArrivalWatch.Sign.ADDED);
    }

    private ArrivalWatch watch(String collection, String selector, ArrivalWatch.Sign sign) throws IOException {
        return new ArrivalWatch(plane.client(), watchUrl(collection) + selector, sign, plane.version(collection));
    }

    /** The revision of all that is stored, which each write raises by one; from Events, which come past the watch cache. */
    public long revision() throws IOException {
        return Long.parseLong(plane.version(events()));
    }

    /** Watches all that becomes of a namespace's Deployments from now on; hands on each event as it comes. */
    public LineWatch watchDeployments(String namespace, Consumer<String> lines) throws IOException {
        String collection = deployments(namespace);
        return new LineWatch(
                plane.client(), watchUrl(collection), "application/json", plane.version(collection), lines);
    }

    private static String watchUrl(String collection) {
        return collection + "?watch=true";
    }

    private String events() {
        return plane.url("/api/v1/namespaces/" + NAMESPACE + "/events");
    }

    private String foos(String namespace) {
        return plane.url("/apis/samplecontroller.k8s.io/v1alpha1/namespaces/" + namespace + "/foos");
    }

    private String deployments(String namespace) {
        return plane.url("/apis/apps/v1/namespaces/" + namespace + "/deployments");
    }

    @Override
    public void close() {
        plane.close();
    }
}
