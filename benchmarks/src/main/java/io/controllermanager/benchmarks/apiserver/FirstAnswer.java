package io.controllermanager.benchmarks.apiserver;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Starts embedded API servers in a JVM of its own and prints one line: milliseconds from the start to the end of the first
 * answer, for the first server and the median of ten further ones, then what one server at rest takes, in MiB. The server's
 * class is the argument, so that this runs with servers of other commits.
 */
public final class FirstAnswer {

    private static final int FURTHER = 10;

    private FirstAnswer() {}

    public static void main(String[] arguments) throws Exception {
        Class<?> type = Class.forName(arguments[0]);
        double first = startAndAsk(type);
        double[] further = new double[FURTHER];
        for (int i = 0; i < FURTHER; i++) {
            further[i] = startAndAsk(type);
        }
        Arrays.sort(further);
        AutoCloseable server = start(type);
        ask(type, server);
        for (int i = 0; i < 5; i++) {
            System.gc();
        }
        double heap = mebibytes(
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        double classes = mebibytes(
                ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getUsed());
        double buffers = mebibytes(ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum());
        double resident = residentKibibytes() / 1024.0;
        System.out.printf(
                Locale.ROOT,
                "%.1f %.1f %.1f %.1f %.1f %.1f%n",
                first,
                further[FURTHER / 2],
                heap,
                classes,
                buffers,
                resident);
        server.close();
    }

    private static AutoCloseable start(Class<?> type) throws ReflectiveOperationException {
        return (AutoCloseable) type.getMethod("start").invoke(null);
    }

    private static double startAndAsk(Class<?> type) throws Exception {
        long begin = System.nanoTime();
        try (AutoCloseable server = start(type)) {
            ask(type, server);
            return (System.nanoTime() - begin) / 1e6;
        }
    }

    /** By a bare socket, so that no client's start is measured. */
    private static void ask(Class<?> type, AutoCloseable server) throws ReflectiveOperationException, IOException {
        URI url = (URI) type.getMethod("url").invoke(server);
        try (Socket socket = new Socket(url.getHost(), url.getPort())) {
            String request = "GET /api/v1/namespaces/default HTTP/1.1\r\nHost: " + url.getHost()
                    + "\r\nAccept: application/json\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            if (!answer.startsWith("HTTP/1.1 200")) {
                throw new IllegalStateException("Answered: " + answer);
            }
        }
    }

    private static long residentKibibytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    private static double mebibytes(long bytes) {
        return bytes / 1024.0 / 1024.0;
    }
}
