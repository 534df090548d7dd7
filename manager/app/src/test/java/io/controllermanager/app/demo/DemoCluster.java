package io.controllermanager.app.demo;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.Controllers;
import io.controllermanager.testing.controlplane.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The API server that the demo brings along. */
sealed interface DemoCluster extends AutoCloseable {

    /** Which one; {@code -Dapi-server} says. */
    enum Kind {
        /** In this process. Needs nothing. */
        EMBEDDED,

        /** Processes of their own, built from Go modules when they are first needed. */
        REAL;

        /** What the property says, or the embedded server where it is not set. */
        static Kind chosen() {
            String value = System.getProperty(PROPERTY);
            if (value == null) {
                return EMBEDDED;
            }
            for (Kind kind : values()) {
                if (kind.word().equals(value)) {
                    return kind;
                }
            }
            String allowed = Arrays.stream(values()).map(Kind::word).collect(Collectors.joining(" or "));
            throw new IllegalArgumentException("-D" + PROPERTY + "=" + value + ": must be " + allowed);
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        @SuppressWarnings("SystemOut")
        DemoCluster start() throws Exception {
            if (this == EMBEDDED) {
                return Embedded.start();
            }
            System.out.println("Starting a control plane; the first time its programs are built, which takes minutes.");
            return Real.start();
        }
    }

    /** The system property that chooses. */
    String PROPERTY = "api-server";

    /** A kubeconfig file that leads to it. */
    Path kubeconfig();

    /** How a command line for it begins. */
    String kubectl();

    /** What it is and where. */
    String description();

    @Override
    void close();

    /** The embedded API server, where workloads become what they would on a cluster. */
    record Embedded(ApiServer server, Path kubeconfig) implements DemoCluster {

        /** The same at each start, so that command lines can be repeated. Beside the host's own, 8080. */
        private static final int PORT = 18080;

        static Embedded start() throws IOException {
            ApiServer server = listen();
            Path kubeconfig = Files.createTempFile("controller-manager-demo", ".kubeconfig");
            Files.writeString(kubeconfig, server.kubeconfig());
            return new Embedded(server, kubeconfig);
        }

        @SuppressWarnings("SystemOut")
        private static ApiServer listen() {
            if (!Ports.isFree(PORT)) {
                System.out.println("Port " + PORT + " is taken: the API server gets another.");
                return ApiServer.builder().world(true).start();
            }
            return ApiServer.builder().world(true).port(PORT).start();
        }

        @Override
        public String kubectl() {
            return "kubectl --server=" + server.url();
        }

        @Override
        public String description() {
            return "an API server in the same process at " + server.url() + ", where Deployments are available at once";
        }

        @Override
        public void close() {
            server.close();
            try {
                Files.deleteIfExists(kubeconfig);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A real API server with kube-controller-manager, kube-scheduler and a node that kwok plays. */
    record Real(ControlPlane plane) implements DemoCluster {

        static Real start() {
            return new Real(ControlPlane.builder()
                    .controllers(Controllers.ALL)
                    .scheduler(true)
                    .kwokNodes(1)
                    .start());
        }

        @Override
        public Path kubeconfig() {
            return plane.kubeconfigFile();
        }

        @Override
        public String kubectl() {
            return "kubectl --kubeconfig=" + plane.kubeconfigFile();
        }

        @Override
        public String description() {
            return "Kubernetes " + plane.version() + " at " + plane.apiServerUrl();
        }

        @Override
        public void close() {
            plane.close();
        }
    }
}
