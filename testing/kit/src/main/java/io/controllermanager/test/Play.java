package io.controllermanager.test;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.writes.RecordedWrite;
import io.controllermanager.apiserver.writes.WriteRecording;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.test.RunningManager.Setup;
import io.controllermanager.test.Wire.Mishap;
import io.controllermanager.time.internal.VirtualTime;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** One run of a scenario. A process that is lost is followed by a new one, on the same server. */
final class Play implements Stage, AutoCloseable {

    /** Ends a wait for a process that is lost. */
    @SuppressWarnings("serial")
    private static final class Lost extends RuntimeException {
        Lost() {
            super("the process is lost", null, false, false);
        }
    }

    private final Scenario scenario;
    private final Mishap mishap;
    private final Wire wire;
    private final VirtualTime time = new VirtualTime();
    private final ApiServer server;
    private final WriteRecording recording;
    private volatile Wire.End process;
    private RunningManager manager;

    Play(Scenario scenario, Mishap mishap) {
        this.scenario = scenario;
        this.mishap = mishap;
        this.wire = new Wire(mishap);
        this.server = scenario.server().clock(time::now).start();
        this.recording = server.recordWrites();
        this.process = wire.process();
        if (scenario.outside() instanceof OutsideSystem<?> system) {
            system.through((call, effect) -> process.outside(call, effect));
        }
        this.manager = start(process);
    }

    private RunningManager start(Wire.End end) {
        ApiClient client = server.client();
        client.setHttpClient(
                client.getHttpClient().newBuilder().addInterceptor(end).build());
        return new RunningManager(
                new Setup(
                        client,
                        server,
                        Set.of(),
                        time,
                        () -> {
                            if (end.isLost()) {
                                throw new Lost();
                            }
                        },
                        () -> {}),
                scenario.controllers());
    }

    /** Plays it to its end, where the controllers have converged. */
    void run() {
        try {
            scenario.play(this);
        } catch (ApiException e) {
            throw new AssertionError("The scenario's own request failed: " + e.getMessage(), e);
        }
        converges();
    }

    /** What has become of it by now. */
    EndState state() {
        return EndState.of(server, scenario::normalise, scenario.outside());
    }

    /** What the controllers have written, or tried to. */
    List<SentWrite> writes() {
        return wire.writes();
    }

    /** What they have written to the system outside, or tried to. */
    List<SentWrite> outside() {
        return wire.outside();
    }

    /** The objects that the controllers have made: the path of each, by what {@link EndState#label} calls it. */
    Map<String, String> made() {
        Map<String, String> made = new LinkedHashMap<>();
        for (RecordedWrite write : recording.writes()) {
            if (write.verb().equals("create") && write.userAgent().equals(RunningManager.USER_AGENT)) {
                wire.writes().stream()
                        .map(SentWrite::path)
                        .filter(path -> path.endsWith(place(write)))
                        .findFirst()
                        .ifPresent(path -> made.put(EndState.label(Objects.requireNonNull(write.after())), path));
            }
        }
        return made;
    }

    private static String place(RecordedWrite write) {
        return (write.namespace().isEmpty() ? "/" : "/namespaces/" + write.namespace() + "/")
                + write.resource().split("\\.", 2)[0] + "/" + write.name();
    }

    /** Has the user delete an object, if it is there. */
    void delete(String path) {
        OkHttpClient client = server.client().getHttpClient();
        Request request =
                new Request.Builder().url(server.url() + path).delete().build();
        try (Response response = client.newCall(request).execute()) {
            if (!response.isSuccessful() && response.code() != 404) {
                throw new AssertionError("DELETE " + path + " is refused: " + response);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ApiServer server() {
        return server;
    }

    @Override
    public <T extends KubernetesObject> ResourceClient<T> client(ResourceType<T> type) {
        return new ResourceClient<>(server.client(), type);
    }

    @Override
    public void converges() {
        mishap.meanwhile(server);
        unlessLost(() -> manager.converges());
    }

    @Override
    public void advance(Duration duration) {
        long end = time.nanoTime() + duration.toNanos();
        unlessLost(() -> {
            long left = end - time.nanoTime();
            manager.advance(Duration.ofNanos(Math.max(0, left)));
        });
    }

    private void unlessLost(Runnable wait) {
        while (true) {
            try {
                wait.run();
                return;
            } catch (Lost e) {
                manager.close();
                process = wire.process();
                manager = start(process);
            }
        }
    }

    @Override
    public void close() {
        manager.close();
        recording.close();
        server.close();
    }
}
