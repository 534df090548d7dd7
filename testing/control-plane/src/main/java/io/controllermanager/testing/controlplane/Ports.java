package io.controllermanager.testing.controlplane;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.Scanner;
import java.util.concurrent.ThreadLocalRandom;

/** Finds ports to listen on. */
public final class Ports {

    private static final Path EPHEMERAL_RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final int LOWEST = 20_000;
    private static final int HIGHEST = 60_000;

    private Ports() {}

    /**
     * A port that nobody listens on at this moment. Somebody may a moment later: whoever starts a server on it tries
     * again with another one.
     *
     * <p>It lies below the range from which the kernel takes the ports of outgoing connections. A server that is
     * stopped and started on the same port would otherwise find it taken now and then, if only by a client that dials
     * it meanwhile: such a client can be given the very port as its own, and then talks to itself.
     */
    public static int free() {
        int end = firstEphemeralPort();
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
            if (isFree(port)) {
                return port;
            }
        }
        throw new ControlPlaneException("No free port was found between %d and %d.".formatted(LOWEST, end));
    }

    /** Whether one could listen here, on all addresses. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // What closed connections leave behind is no hindrance, as for those who listen in earnest.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    private static int firstEphemeralPort() {
        // Not Files.readString, which asks for one byte first: the kernel gives this file away in one read only.
        try (BufferedReader reader = Files.newBufferedReader(EPHEMERAL_RANGE);
                Scanner range = new Scanner(reader)) {
            int first = range.nextInt();
            return first > LOWEST + 1_000 ? first : HIGHEST;
        } catch (IOException | NoSuchElementException notLinux) {
            return HIGHEST;
        }
    }
}
