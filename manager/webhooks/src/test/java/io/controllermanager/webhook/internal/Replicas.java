package io.controllermanager.webhook.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Processes behind a Service: each has an EndpointSlice of its own, with the machine's own address, for loopback is refused there. */
final class Replicas implements AutoCloseable {

    private final ResourceClient<V1EndpointSlice> slices;
    private final String namespace;
    private final List<String> arguments;
    private final String address = ownAddress();
    private final List<Process> all = new ArrayList<>();

    Replicas(ApiClient client, Path kubeconfig, String namespace, String name, String crd, int settleSeconds) {
        this.slices = new ResourceClient<>(client, ResourceTypes.ENDPOINT_SLICE);
        this.namespace = namespace;
        this.arguments = List.of(kubeconfig.toString(), namespace, name, crd, Integer.toString(settleSeconds));
    }

    /** One that is ready, and has its endpoint. */
    record Replica(Process process, int port) {

        void lead() throws IOException {
            tell("lead");
        }

        void tell(String line) throws IOException {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
    }

    private static String ownAddress() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(each ->
                            each instanceof Inet4Address && !each.isLoopbackAddress() && !each.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("this machine has no address but loopback's"));
        } catch (SocketException e) {
            throw new IllegalStateException(e);
        }
    }

    Replica start() throws IOException, ApiException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                WebhookProcess.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        all.add(process);
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        while (line != null && !line.startsWith("port ")) {
            System.out.println(line);
            line = out.readLine();
        }
        assertThat(line).as("a replica that is ready").isNotNull();
        Thread rest = new Thread(() -> out.lines().forEach(System.out::println), "replica-output");
        rest.setDaemon(true);
        rest.start();
        Replica replica = new Replica(process, Integer.parseInt(line.substring("port ".length())));
        addEndpoint(replica);
        return replica;
    }

    private void addEndpoint(Replica replica) throws ApiException {
        assertThat(slices.create(new V1EndpointSlice()
                        .metadata(new V1ObjectMeta()
                                .name(slice(replica))
                                .namespace(namespace)
                                .labels(Map.of("kubernetes.io/service-name", arguments.get(2))))
                        .addressType("IPv4")
                        .addEndpointsItem(new V1Endpoint()
                                .addAddressesItem(address)
                                .conditions(new V1EndpointConditions().ready(true)))
                        .addPortsItem(
                                new DiscoveryV1EndpointPort().name("https").port(replica.port))))
                .isNotNull();
    }

    private String slice(Replica replica) {
        return arguments.get(2) + "-" + replica.port;
    }

    void removeEndpoint(Replica replica) throws ApiException {
        assertThat(slices.delete(namespace, slice(replica))).isTrue();
    }

    /** As a kubelet stops a Pod: it is told, its endpoint goes a second later, and it ends by itself. */
    void stop(Replica replica) throws Exception {
        replica.tell("stop");
        TimeUnit.SECONDS.sleep(1);
        removeEndpoint(replica);
        assertThat(replica.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(replica.process.exitValue()).isZero();
    }

    /** Its endpoint goes a second later. */
    void kill(Replica replica) throws Exception {
        replica.process.destroyForcibly().waitFor();
        TimeUnit.SECONDS.sleep(1);
        removeEndpoint(replica);
    }

    @Override
    public void close() {
        all.forEach(Process::destroyForcibly);
    }
}
