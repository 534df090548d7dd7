package io.controllermanager.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Deletions that are large, or that others come between. */
class DeletionTest {

    private static final int MANY = 5_000;
    private static final Pattern UID = Pattern.compile("\"uid\":\"([^\"]+)\"");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    /** What happens the next times that the server looks at its clock, which it does between reading and writing. */
    private final Deque<Runnable> meanwhile = new ArrayDeque<>();

    private final ApiServer server =
            ApiServer.builder().clock(this::now).history(100).start();
    private final String namespace = server.createNamespace("d");

    private Instant now() {
        Runnable next;
        synchronized (meanwhile) {
            next = meanwhile.poll();
        }
        if (next != null) {
            next.run();
        }
        return Instant.EPOCH;
    }

    private void meanwhile(Runnable action) {
        synchronized (meanwhile) {
            meanwhile.add(action);
        }
    }

    @AfterEach
    void close() {
        server.close();
    }

    private HttpResponse<String> send(String method, String path, String body) {
        String type = method.equals("PATCH") ? "application/merge-patch+json" : "application/json";
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/namespaces/" + path))
                .header("Content-Type", type)
                .method(method, BodyPublishers.ofString(body.replace('\'', '"')))
                .build();
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private String configMaps() {
        return namespace + "/configmaps";
    }

    private HttpResponse<String> create(String name, String owner) {
        String owners = owner.isEmpty()
                ? ""
                : ",'ownerReferences':[{'apiVersion':'v1','kind':'ConfigMap','name':'owner','uid':'" + owner
                        + "','blockOwnerDeletion':true}]";
        return send("POST", configMaps(), "{'metadata':{'name':'" + name + "'" + owners + "}}");
    }

    private void createMany(String owner) {
        IntStream.range(0, MANY)
                .parallel()
                .forEach(i -> assertThat(create("c" + i, owner).statusCode()).isEqualTo(201));
    }

    private void assertGone(String path) {
        assertThat(send("GET", path, "").statusCode()).isEqualTo(404);
    }

    @Test
    void deletesAnOwnerOfManyInTheForeground() {
        Matcher uid = UID.matcher(create("owner", "").body());
        assertThat(uid.find()).isTrue();
        createMany(uid.group(1));
        String options = "{'propagationPolicy':'Foreground'}";
        assertThat(send("DELETE", configMaps() + "/owner", options).statusCode())
                .isEqualTo(200);
        assertGone(configMaps() + "/owner");
        assertThat(send("GET", configMaps(), "").body()).contains("\"items\":[]");
    }

    @Test
    void emptiesANamespaceOfMany() {
        createMany("");
        assertThat(send("DELETE", namespace, "").statusCode()).isEqualTo(200);
        assertGone(namespace);
    }

    @Test
    void emptiesANamespaceWhoseObjectsAreWrittenTo() {
        create("a", "");
        // The first look is for the namespace's own deletion.
        meanwhile(() -> {});
        meanwhile(() -> assertThat(
                        send("PATCH", configMaps() + "/a", "{'data':{'k':'v'}}").statusCode())
                .isEqualTo(200));
        send("DELETE", namespace, "");
        assertThat(meanwhile).isEmpty();
        assertGone(namespace);
    }

    @Test
    void createsNothingInANamespaceThatGoesMeanwhile() {
        meanwhile(() -> send("DELETE", namespace, ""));
        assertThat(create("a", "").statusCode()).isEqualTo(404);
        assertThat(send("GET", configMaps(), "").body()).contains("\"items\":[]");
    }
}
