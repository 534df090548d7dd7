package io.controllermanager.testing.controlplane;

import java.net.URI;
import java.nio.file.Path;

/** The flags that make each program one of a plane for tests. */
final class ProgramFlags {

    /** More than any test asks for: the defaults of 20 a second are made for clusters whose API server is shared. */
    private static final int REQUESTS_PER_SECOND = 1_000;

    private ProgramFlags() {}

    /** All but the port. */
    static Flags apiServer(Configuration configuration, Identity identity, URI etcd) {
        PlaneDirectory directory = identity.directory();
        Flags flags = new Flags()
                .set("etcd-servers", etcd)
                .set("bind-address", "127.0.0.1")
                // Nobody finds this server through Endpoints, and loopback addresses are not allowed in them.
                .set("advertise-address", "127.0.0.1")
                .set("endpoint-reconciler-type", "none")
                .set("service-cluster-ip-range", "10.0.0.0/24")
                // No node leads to a Service here: a webhook is found by its EndpointSlices.
                .set("enable-aggregator-routing", "true")
                .set("cert-dir", directory.root())
                .set("client-ca-file", identity.certificate("ca"))
                .set("tls-cert-file", identity.certificate("apiserver"))
                .set("tls-private-key-file", identity.key("apiserver"))
                .set("authorization-mode", "RBAC")
                .set("service-account-issuer", "https://kubernetes.default.svc.cluster.local")
                .set("service-account-key-file", identity.certificate("tokens"))
                .set("service-account-signing-key-file", identity.key("tokens"))
                .set(
                        "audit-policy-file",
                        directory.write(
                                "audit-policy.yaml", configuration.auditLevel().policy()))
                // In megabytes: a log that is rotated away is lost to whoever counts its lines.
                .set("audit-log-maxsize", 100_000);
        switch (configuration.controllers()) {
            case NONE -> flags.set("disable-admission-plugins", "ServiceAccount,TaintNodesByCondition");
            // Nobody takes the taints of a new node away.
            case HOUSEKEEPER -> flags.set("disable-admission-plugins", "TaintNodesByCondition");
            case ALL -> {}
        }
        return flags.setAll(configuration.apiServerFlags());
    }

    static Flags controllerManager(Identity identity, Path kubeconfig) {
        return new Flags()
                .set("kubeconfig", kubeconfig)
                .set("authentication-kubeconfig", kubeconfig)
                .set("authorization-kubeconfig", kubeconfig)
                .set("secure-port", 0)
                .set("leader-elect", false)
                .set("use-service-account-credentials", true)
                .set("service-account-private-key-file", identity.key("tokens"))
                .set("root-ca-file", identity.certificate("ca"))
                .set("cluster-signing-cert-file", identity.certificate("ca"))
                .set("cluster-signing-key-file", identity.key("ca"))
                // The default lies under /usr, where it would be made.
                .set("flex-volume-plugin-dir", identity.directory().path("flex-volumes"))
                .set("kube-api-qps", REQUESTS_PER_SECOND)
                .set("kube-api-burst", REQUESTS_PER_SECOND);
    }

    static Flags scheduler(Path kubeconfig) {
        return new Flags()
                .set("kubeconfig", kubeconfig)
                .set("authentication-kubeconfig", kubeconfig)
                .set("authorization-kubeconfig", kubeconfig)
                .set("secure-port", 0)
                .set("leader-elect", false)
                .set("kube-api-qps", REQUESTS_PER_SECOND)
                .set("kube-api-burst", REQUESTS_PER_SECOND);
    }

    static Flags kwok(Path stages, Path kubeconfig) {
        return new Flags()
                .set("kubeconfig", kubeconfig)
                .set("config", stages)
                .set("manage-all-nodes", true)
                .set("node-ip", "10.0.0.2")
                .set("cidr", "10.244.0.0/16")
                .set("node-lease-duration-seconds", 40)
                // No kubelet port: instances side by side would all want the same one.
                .set("node-port", 0);
    }
}
