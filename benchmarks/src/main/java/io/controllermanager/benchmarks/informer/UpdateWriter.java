package io.controllermanager.benchmarks.informer;

import io.controllermanager.benchmarks.plane.Paced;
import io.controllermanager.benchmarks.plane.WriteConnection;
import java.io.IOException;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;

/**
 * Creates ConfigMaps of 1.3 KB, and updates one after the other at a rate. Each update has a number, by which those who
 * watch know it again; by the time that an object has its turn again, its last update has long been answered.
 */
final class UpdateWriter {

    private static final int CONNECTIONS = 16;
    private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\\s*\"(\\d+)\"");
    private static final String PADDING = "x".repeat(900);

    private final SocketFactory sockets;
    private final URI server;
    private final String namespace;
    private final int objects;

    /** What became of a run of updates, each at its number's place. */
    static final class Updates {

        /** When it was sent, by {@link System#nanoTime()}. */
        final long[] sent;

        /** When the API server's answer was there. */
        final long[] answered;

        /** The resourceVersion that it was given. */
        final long[] versions;

        Updates(int count) {
            sent = new long[count];
            answered = new long[count];
            versions = new long[count];
        }

        int count() {
            return sent.length;
        }

        /** How many a second were sent of those from this number on. */
        double rate(int from) {
            int last = sent.length - 1;
            return (last - from) / ((sent[last] - sent[from]) / 1e9);
        }
    }

    /** One request of a run. */
    @FunctionalInterface
    private interface Step {
        void run(WriteConnection connection, int number) throws IOException;
    }

    UpdateWriter(SocketFactory sockets, URI server, String namespace, int objects) {
        this.sockets = sockets;
        this.server = server;
        this.namespace = namespace;
        this.objects = objects;
    }

    void create() throws IOException, InterruptedException {
        inTurn(
                objects,
                Integer.MAX_VALUE,
                (connection, number) -> connection.send("POST", path(), json(number, "none")));
    }

    /**
     * Updates all objects in turn.
     *
     * @param run goes before each update's number, so that those who watch tell this run from others
     */
    Updates update(String run, int count, int perSecond) throws IOException, InterruptedException {
        Updates updates = new Updates(count);
        inTurn(count, perSecond, (connection, number) -> {
            int object = number % objects;
            String json = json(object, run + "-" + number);
            updates.sent[number] = System.nanoTime();
            String answer = connection.send("PUT", path() + "/" + name(object), json);
            updates.answered[number] = System.nanoTime();
            Matcher version = VERSION.matcher(answer);
            if (!version.find()) {
                throw new IOException("no resourceVersion in " + answer);
            }
            updates.versions[number] = Long.parseLong(version.group(1));
        });
        return updates;
    }

    private void inTurn(int count, int perSecond, Step step) throws IOException, InterruptedException {
        Paced.run(CONNECTIONS, count, perSecond, System.nanoTime(), () -> {
            WriteConnection connection = new WriteConnection(sockets, server);
            return new Paced.Steps() {
                @Override
                public void run(int number) throws Exception {
                    step.run(connection, number);
                }

                @Override
                public void close() throws IOException {
                    connection.close();
                }
            };
        });
    }

    private String path() {
        return "/api/v1/namespaces/" + namespace + "/configmaps";
    }

    private static String name(int object) {
        return "object-" + object;
    }

    private static String json(int object, String number) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" + name(object)
                + "\",\"labels\":{\"app\":\"throughput\",\"tier\":\"backend\"}},\"data\":{\"number\":\"" + number
                + "\",\"value\":\"" + PADDING + "\"}}";
    }
}
