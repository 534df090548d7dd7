package io.controllermanager.testing.bothservers;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.kubernetes.client.openapi.ApiClient;
import org.jspecify.annotations.Nullable;

/** An API server under test, whichever it is. Safe for any thread. */
public sealed interface TestedServer extends AutoCloseable permits EmbeddedServer, RealServer {

    /** The one inside the JVM, which is closed with what this gives. */
    static TestedServer of(ApiServer server) {
        return new EmbeddedServer(server);
    }

    /** A real kube-apiserver and what stands around it, which is closed with what this gives. */
    static TestedServer of(ControlPlane plane) {
        return new RealServer(plane);
    }

    /** Whether it is the one inside the JVM: for what that one does otherwise on purpose, and for nothing else. */
    boolean isEmbedded();

    /** The processes of the real one, null for the one inside the JVM. */
    @Nullable
    ControlPlane plane();

    /** A new client whose user may do everything. Reads have no time limit, so that it serves for watches. */
    ApiClient client();

    /** A kubeconfig whose user may do everything, as YAML. */
    String kubeconfig();

    /**
     * A new client for somebody else, who may do what RBAC's rules grant the name or one of the groups. Both servers
     * authorize.
     */
    ApiClient clientFor(String user, String... groups);

    /** A kubeconfig for such a user, as YAML. */
    String kubeconfigFor(String user, String... groups);

    /** Makes a namespace that no one else uses; gives its name. */
    String createNamespace();

    /** Forgets all history: what asks for an older version than now gets 410. */
    void compact();

    /** Stops it. Everything that was stored is gone. */
    @Override
    void close();
}
