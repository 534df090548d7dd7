package io.controllermanager.benchmarks.shards;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.benchmarks.plane.Contender;
import io.controllermanager.benchmarks.plane.ContenderProcess;
import io.controllermanager.testing.controlplane.TcpProxy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process that shares the work, behind a proxy that counts what it receives. */
final class ShardReplica implements AutoCloseable {

    private static final double MEBIBYTE = 1 << 20;

    private final String name;
    private final TcpProxy proxy;
    private final ContenderProcess process;
    private final Path record;

    /** What its caches hold. */
    record Cached(long objects, double mebibytes, double heapMebibytes) {}

    private ShardReplica(String name, TcpProxy proxy, ContenderProcess process, Path record) {
        this.name = name;
        this.proxy = proxy;
        this.process = process;
        this.record = record;
    }

    /** Launches one under a name that none had before. */
    static ShardReplica launch(String name, Contender contender, Path kubeconfig, URI apiServer, Path directory)
            throws IOException {
        TcpProxy proxy = new TcpProxy(apiServer);
        Path own = Files.writeString(
                directory.resolve(name + ".kubeconfig"),
                Files.readString(kubeconfig).replace(apiServer.toString(), proxy.url()));
        Path record = directory.resolve(name + ".reconciles");
        ContenderProcess process = ContenderProcess.launch(
                name,
                contender,
                own,
                List.of(
                        "--" + WaitingFoos.PACE + "=" + directory.resolve("pace"),
                        "--" + WaitingFoos.RECORD + "=" + record));
        return new ShardReplica(name, proxy, process, record);
    }

    String name() {
        return name;
    }

    ContenderProcess process() {
        return process;
    }

    long bytesReceived() {
        return proxy.bytesReceived();
    }

    /** Its reconciles that ended after a moment. */
    List<Reconcile> reconciles(long since) throws IOException {
        return Files.exists(record) ? Reconcile.read(record, since) : List.of();
    }

    /** What its informers hold now, and its heap after a collection. */
    Cached cached() throws IOException, InterruptedException {
        long objects = 0;
        long bytes = 0;
        JsonObject answer = JsonParser.parseString(process.body("informers")).getAsJsonObject();
        for (JsonElement informer : answer.getAsJsonArray("informers")) {
            objects += informer.getAsJsonObject().get("objects").getAsLong();
            bytes += informer.getAsJsonObject().get("approximateBytes").getAsLong();
        }
        process.collectGarbage();
        double heap = process.body("prometheus")
                .lines()
                .filter(line -> line.startsWith("jvm_memory_used_bytes{") && line.contains("area=\"heap\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
        return new Cached(objects, bytes / MEBIBYTE, heap / MEBIBYTE);
    }

    @Override
    public void close() throws IOException {
        process.close();
        proxy.close();
    }
}
