package io.controllermanager.app.access;

import io.controllermanager.app.Main;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The controller manager in this JVM, with no controller switched on unless an argument says so. */
final class HostedManager implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final HttpClient http = HttpClient.newHttpClient();

    private HostedManager(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static HostedManager start(String... arguments) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--controller-manager.controllers=-foo,-network",
                "--controller-manager.leader-election.enabled=false"));
        all.addAll(List.of(arguments));
        SpringApplication application = new SpringApplication(Main.class);
        application.setRegisterShutdownHook(false);
        return new HostedManager(application.run(all.toArray(String[]::new)));
    }

    int port() {
        return port("local.server.port");
    }

    int managementPort() {
        return port("local.management.port");
    }

    private int port(String property) {
        return Objects.requireNonNull(context.getEnvironment().getProperty(property, Integer.class));
    }

    HttpResponse<String> get(String path, @Nullable String token) throws IOException, InterruptedException {
        return send("GET", port(), path, token == null ? null : "Bearer " + token, null);
    }

    HttpResponse<String> send(
            String method, int port, String path, @Nullable String authorization, @Nullable String json)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(
                        method,
                        json == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(json))
                .header("Content-Type", "application/json");
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Override
    public void close() {
        context.close();
    }
}
