package io.controllermanager.app.support;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Ports of this machine. */
public final class Ports {

    private Ports() {}

    /** Whether one could listen here, on all addresses. */
    public static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            // What closed connections leave behind is no hindrance, as for those who listen in earnest.
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
