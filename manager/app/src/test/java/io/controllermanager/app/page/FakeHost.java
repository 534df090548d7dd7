package io.controllermanager.app.page;

import io.controllermanager.client.internal.connection.RequestTrail.Effect;
import io.controllermanager.client.internal.connection.RequestTrail.Write;
import io.controllermanager.controller.internal.ControllerSnapshot.Failure;
import io.controllermanager.controller.internal.ControllerSnapshot.ReconcileTimes;
import io.controllermanager.controller.internal.ControllerSnapshot.StuckReconcile;
import io.controllermanager.controller.internal.journal.ReconcileRecord;
import io.controllermanager.controller.internal.journal.ReconcileRecord.Reason;
import io.controllermanager.informer.Shards;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.informer.internal.delivery.HandlerStatus;
import io.controllermanager.informer.internal.reflector.ReflectorStatus;
import io.controllermanager.leaderelection.internal.LeadershipStatus;
import io.controllermanager.manager.internal.ControllerOperations;
import io.controllermanager.manager.internal.ControllerState;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.manager.internal.KeyExplanation;
import io.controllermanager.manager.internal.ShardState;
import io.controllermanager.manager.internal.ShardStatus;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.actuate.endpoint.DividedDescriptor;
import io.controllermanager.spring.actuate.endpoint.InformersEndpoint;
import io.controllermanager.spring.actuate.endpoint.LeaderElectionEndpoint;
import io.controllermanager.spring.actuate.info.VersionsInfoContributor;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.controllermanager.testing.controlplane.Ports;
import io.controllermanager.workqueue.internal.Cause;
import io.controllermanager.workqueue.internal.Causes;
import io.controllermanager.workqueue.internal.QueueSnapshot;
import io.kubernetes.client.extended.controller.reconciler.Request;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.OncePerRequestFilter;

/** Serves the page and endpoints that say what a test wants, without controllers or Kubernetes. */
final class FakeHost implements AutoCloseable {

    static final Instant THEN = Instant.parse("2026-03-01T12:00:00Z");

    private final ServletWebServerApplicationContext context;
    private final int port;
    private final State state;

    private FakeHost(ServletWebServerApplicationContext context, int port) {
        this.context = context;
        this.port = port;
        this.state = context.getBean(State.class);
    }

    static FakeHost start(String... properties) throws IOException {
        int port = Ports.free();
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=" + port,
                "--controller-manager.enabled=false",
                "--management.endpoints.web.exposure.include=*",
                "--logging.level.root=warn"));
        for (String property : properties) {
            arguments.add("--" + property);
        }
        return new FakeHost(
                (ServletWebServerApplicationContext)
                        new SpringApplicationBuilder(Application.class).run(arguments.toArray(String[]::new)),
                port);
    }

    State state() {
        return state;
    }

    String url(String path) {
        return "http://localhost:" + port + path;
    }

    /** Nobody answers, until {@link #comeBack}. */
    void goAway() {
        Objects.requireNonNull(context.getWebServer()).stop();
    }

    void comeBack() {
        Objects.requireNonNull(context.getWebServer()).start();
    }

    @Override
    public void close() {
        context.close();
    }

    /** What the endpoints say. */
    static final class State {
        volatile List<ControllerStatus> controllers = List.of(controller("foo").build());
        volatile List<InformerStatus> informers = List.of(informer("foos.samplecontroller.k8s.io/v1alpha1", null));
        volatile LeadershipStatus leadership = lease("controller-manager", "pod-a", "pod-a");
        volatile Map<String, LeadershipStatus> leaderships = Map.of();
        volatile Map<String, DividedDescriptor> divided = Map.of();
        volatile List<Failure> failures = List.of();
        volatile @Nullable String token;
        volatile boolean forbidden;

        /** The paths that were asked for below the endpoints' own. */
        final List<String> asked = new CopyOnWriteArrayList<>();

        final AtomicInteger atOnce = new AtomicInteger();
        final AtomicInteger mostAtOnce = new AtomicInteger();
    }

    static ControllerBuilder controller(String name) {
        return new ControllerBuilder(name);
    }

    /** A controller that is well unless something else is said. */
    static final class ControllerBuilder {
        private final String name;
        private ControllerState state = ControllerState.RUNNING;
        private @Nullable String detail;
        private int active;
        private Map<Integer, Integer> depths = Map.of();
        private long reconciles = 1000;
        private List<StuckReconcile> stuck = List.of();
        private @Nullable Failure lastError;

        private ControllerBuilder(String name) {
            this.name = name;
        }

        ControllerBuilder state(ControllerState newState, @Nullable String newDetail) {
            state = newState;
            detail = newDetail;
            return this;
        }

        ControllerBuilder active(int workers) {
            active = workers;
            return this;
        }

        ControllerBuilder depths(Map<Integer, Integer> newDepths) {
            depths = newDepths;
            return this;
        }

        ControllerBuilder reconciles(long newReconciles) {
            reconciles = newReconciles;
            return this;
        }

        ControllerBuilder stuck(String key, String thread) {
            stuck = List.of(new StuckReconcile(key, thread, THEN));
            return this;
        }

        ControllerBuilder error(String key, String message) {
            lastError = new Failure(key, message, THEN);
            return this;
        }

        ControllerStatus build() {
            int depth = depths.values().stream().mapToInt(Integer::intValue).sum();
            boolean failed = lastError != null;
            return new ControllerStatus(
                    name,
                    state,
                    detail,
                    List.of("samplecontroller.k8s.io/v1alpha1 Foo", "apps/v1 Deployment"),
                    4,
                    active,
                    depth,
                    0,
                    0,
                    failed ? 1 : 0,
                    reconciles,
                    failed ? 7 : 0,
                    stuck,
                    lastError,
                    depths,
                    depth == 0 ? Duration.ZERO : Duration.ofMillis(250),
                    new ReconcileTimes(
                            120, Duration.ofNanos(3_584_000), Duration.ofNanos(57_344_000), Duration.ofMillis(81)));
        }
    }

    /** Some of every kind, all with numbers that grow with the turn. */
    static List<ControllerStatus> manyControllers(int number, int turn) {
        return IntStream.range(0, number)
                .mapToObj(i -> {
                    ControllerBuilder controller = controller("controller-%04d".formatted(i))
                            .active(i % 5)
                            .depths(Map.of(100, i % 3, 0, (i * 7 + turn) % 90, -100, i % 11))
                            .reconciles(1000L * i + (long) turn * (i % 50));
                    if (i % 97 == 5) {
                        controller.state(ControllerState.WAITING_FOR_TYPE, "waiting for widgets.example.com/v1");
                    } else if (i % 211 == 7) {
                        controller.state(
                                ControllerState.FAILED, "could not be made: IllegalStateException: no such index");
                    }
                    if (i % 10 == 3) {
                        controller.error(
                                "team-%d/object-%d".formatted(i % 17, i),
                                "ApiException: 409 Operation cannot be fulfilled on widgets.example.com \"object-%d\": the object has been modified"
                                        .formatted(i));
                    }
                    return controller.build();
                })
                .toList();
    }

    static InformerStatus informer(String resource, @Nullable String missingPermission) {
        Instant errorAt = missingPermission == null ? null : THEN;
        String error = missingPermission == null ? null : "HTTP 403: forbidden";
        boolean connected = missingPermission == null;
        return new InformerStatus(
                resource,
                Set.of(),
                true,
                connected,
                connected,
                1234,
                "4711",
                1,
                3,
                Duration.ofSeconds(12),
                error,
                errorAt,
                0,
                0,
                List.of(new HandlerStatus("foo", true, 2, Duration.ofMillis(40), 1234, 0)),
                5_600_000,
                List.of(new ReflectorStatus(
                        null,
                        connected,
                        connected ? null : Duration.ofSeconds(5),
                        "4711",
                        Duration.ofSeconds(12),
                        Duration.ofSeconds(12),
                        1,
                        Duration.ofMillis(80),
                        1234,
                        3,
                        Map.of("regular", 2L),
                        Map.of("ADDED", 1234L),
                        0,
                        missingPermission,
                        error,
                        errorAt)));
    }

    /**
     * Four shards of a controller: pod-a, which is asked, works on the first and fills caches for the second; pod-b has the
     * third, and nobody the fourth.
     */
    static DividedDescriptor divided(String controller) {
        return DividedDescriptor.of(
                Shards.By.NAMESPACE,
                List.of(
                        shard(controller, 0, "pod-a", ShardState.WORKING, null, 1200),
                        shard(controller, 1, "pod-a", ShardState.WAITING, "fills its caches", 300),
                        shard(controller, 2, "pod-b", ShardState.ELSEWHERE, null, 0),
                        shard(controller, 3, "pod-c", ShardState.FREE, null, 0)));
    }

    private static ShardStatus shard(
            String controller, int shard, String holder, ShardState state, @Nullable String detail, int objects) {
        boolean here = holder.equals("pod-a");
        return new ShardStatus(
                shard,
                "default/controller-manager-%s-%d-of-4".formatted(controller, shard),
                holder,
                here,
                state,
                detail,
                objects,
                here ? THEN : null,
                here ? 2 : 0,
                9);
    }

    static LeadershipStatus lease(String name, String identity, @Nullable String holder) {
        boolean leading = identity.equals(holder);
        return new LeadershipStatus(
                true,
                "default/" + name,
                identity,
                leading,
                holder,
                leading ? THEN : null,
                leading ? Duration.ofMillis(1200) : null,
                3,
                null,
                null,
                null);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableConfigurationProperties(ControllerManagerProperties.class)
    static class Application {

        @Bean
        State state() {
            return new State();
        }

        @Bean
        VersionsInfoContributor versions() {
            return new VersionsInfoContributor("0.1.0", () -> "v1.36.0");
        }

        @Bean
        ControllersEndpoint controllersEndpoint(State state) {
            return new ControllersEndpoint(() -> state.controllers, () -> new Operations(state));
        }

        @Bean
        InformersEndpoint informersEndpoint(State state) {
            return new InformersEndpoint(() -> state.informers);
        }

        @Bean
        LeaderElectionEndpoint leaderElectionEndpoint(State state) {
            return new LeaderElectionEndpoint(() -> state.leadership, () -> state.leaderships, () -> state.divided);
        }

        @Bean
        FilterRegistrationBean<Guard> guard(State state) {
            FilterRegistrationBean<Guard> filter = new FilterRegistrationBean<>(new Guard(state));
            filter.addUrlPatterns("/actuator/*");
            return filter;
        }
    }

    /** Asks for a token as the real one does, and notes what is asked for. */
    private static final class Guard extends OncePerRequestFilter {

        private final State state;

        Guard(State state) {
            this.state = state;
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            String path = request.getRequestURI();
            state.asked.add(path);
            boolean main = path.endsWith("/controllers");
            if (main) {
                int now = state.atOnce.incrementAndGet();
                state.mostAtOnce.accumulateAndGet(now, Math::max);
            }
            try {
                String token = state.token;
                if (token != null && !("Bearer " + token).equals(request.getHeader("Authorization"))) {
                    response.setStatus(401);
                } else if (state.forbidden) {
                    response.setStatus(403);
                    response.setContentType("application/json");
                    response.getWriter()
                            .write("{\"error\":\"<b>viewer</b> may not get the non-resource URL " + path + "\"}");
                } else {
                    chain.doFilter(request, response);
                }
            } finally {
                if (main) {
                    state.atOnce.decrementAndGet();
                }
            }
        }
    }

    private record Operations(State state) implements ControllerOperations {

        @Override
        public List<ControllerStatus> controllers() {
            return state.controllers;
        }

        @Override
        public QueueSnapshot<Request> queue(String name) {
            Map<Integer, Integer> depths = new LinkedHashMap<>();
            depths.put(100, 1);
            depths.put(-100, 8);
            return new QueueSnapshot<>(
                    depths,
                    0,
                    Map.of(),
                    1,
                    Map.of(new Request("team", "later"), Duration.ofSeconds(30)),
                    1,
                    Map.of(new Request("team", "busy"), Duration.ofMillis(1500)),
                    1,
                    Map.of(new Request("team", "often"), 9));
        }

        @Override
        public List<Failure> failures(String name) {
            return state.failures;
        }

        @Override
        public KeyExplanation explain(String name, Request key) {
            Reason cause = new Reason(
                    Cause.Kind.UPDATED,
                    "foos.samplecontroller.k8s.io/v1alpha1",
                    "team/a",
                    "",
                    2,
                    List.of("spec.replicas"));
            Write write = new Write("patch", "deployments.apps", "team/a", Effect.CHANGED, List.of("spec.replicas"));
            ReconcileRecord record = new ReconcileRecord(
                    THEN,
                    Duration.ofMillis(4),
                    "id-1",
                    "",
                    0,
                    Duration.ofMillis(3),
                    Causes.Delay.BACKOFF,
                    Duration.ofSeconds(2),
                    List.of(cause),
                    1,
                    "success",
                    "",
                    false,
                    null,
                    List.of(write),
                    0,
                    List.of(),
                    0);
            String shown = key.getNamespace() == null ? key.getName() : key.getNamespace() + "/" + key.getName();
            return new KeyExplanation(name, shown, shown + " waits for <nothing>.", List.of(record), 12, THEN);
        }

        @Override
        public List<Request> search(String name, String text) {
            return Stream.of(new Request("team", "a"), new Request("team", "b"))
                    .filter(key -> (key.getNamespace() + "/" + key.getName()).contains(text))
                    .toList();
        }

        @Override
        public void pause(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void resume(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void resize(String name, int workers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void reconcileNow(String name, Request key) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void stopController(String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void startController(String name) {
            throw new UnsupportedOperationException();
        }
    }
}
