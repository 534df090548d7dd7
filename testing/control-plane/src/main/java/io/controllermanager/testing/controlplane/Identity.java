package io.controllermanager.testing.controlplane;

import java.nio.file.Path;
import java.util.List;

/** The files by which the programs of one plane know and trust each other. */
record Identity(PlaneDirectory directory, CertificateAuthority authority) {

    /** Past every RBAC rule, as the first administrator of a cluster is. */
    static final String ADMINISTRATORS = "system:masters";

    static final String ADMINISTRATOR = "kubernetes-admin";

    static Identity createIn(PlaneDirectory directory) {
        Identity identity = new Identity(directory, CertificateAuthority.create());
        identity.write("ca", identity.authority.self());
        identity.write(
                "apiserver",
                identity.authority.server(
                        List.of(
                                "localhost",
                                "kubernetes",
                                "kubernetes.default",
                                "kubernetes.default.svc",
                                "kubernetes.default.svc.cluster.local"),
                        List.of("127.0.0.1", "10.0.0.1")));
        identity.write("tokens", identity.authority.tokenSigner());
        return identity;
    }

    Path certificate(String name) {
        return directory.path(name + ".crt");
    }

    Path key(String name) {
        return directory.path(name + ".key");
    }

    Credentials administrator() {
        return authority.client(ADMINISTRATOR, List.of(ADMINISTRATORS));
    }

    private void write(String name, Credentials credentials) {
        directory.write(name + ".crt", credentials.certificatePem());
        directory.write(name + ".key", credentials.keyPem());
    }
}
