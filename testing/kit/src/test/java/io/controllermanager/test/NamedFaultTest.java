package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.apiserver.faults.Faults;
import io.controllermanager.apiserver.faults.RequestMatcher;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.informer.internal.InformerStatus;
import io.controllermanager.test.ExamplesTest.EditedGreeting;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

class NamedFaultTest {

    private static final Path PAGE = Path.of("../../docs/testing.md");

    /**
     * Counts the Namespaces whose names begin with "counted", in a ConfigMap, and gets wrong whatever it can: it remembers what it has
     * counted, takes a refusal for done, overwrites what others have written, and does not watch the ConfigMap.
     */
    private static final class Careless implements Scenario {

        @Override
        public List<ControllerDescriptor> controllers() {
            Set<String> counted = ConcurrentHashMap.newKeySet();
            return List.of(ControllerDescriptor.named("counter")
                    .forType(ResourceTypes.NAMESPACE)
                    .reconcilerFactory(context -> {
                        ResourceClient<V1ConfigMap> maps =
                                new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP);
                        return request -> {
                            String name = request.getName();
                            if (name.startsWith("counted") && !counted.contains(name)) {
                                count(maps);
                                counted.add(name);
                            }
                            return new Result(false);
                        };
                    })
                    .build());
        }

        private static void count(ResourceClient<V1ConfigMap> maps) {
            try {
                V1ConfigMap present = maps.get("default", "count");
                if (present == null) {
                    maps.create(count(1));
                } else {
                    maps.update(count(1 + Integer.parseInt(present.getData().get("count"))));
                }
            } catch (ApiException e) {
                if (e.getCode() == 0) {
                    throw new IllegalStateException("no answer", e);
                }
            }
        }

        private static V1ConfigMap count(int number) {
            return new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace("default").name("count"))
                    .data(Map.of("count", Integer.toString(number)));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            for (String name : List.of("counted-first", "counted-second")) {
                stage.client(ResourceTypes.NAMESPACE).create(new V1Namespace().metadata(new V1ObjectMeta().name(name)));
                stage.converges();
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            PROCESS_LOST    | data.count: "2" → "3"
            WRITE_REFUSED   | data.count: "2" → "1"
            WRITE_OVERTAKEN | ConfigMap default/count has lost the annotation example.com/another-writer
            CHILD_DELETED   | ConfigMap default/count is missing
            CONNECTION_CUT  | data.count: "2" → "3"
            """)
    void finds(NamedFault fault, String difference) {
        assertThatThrownBy(() -> fault.check(Careless::new)).hasMessageContaining(difference);
    }

    @Test
    void leavesAChildAloneThatIsMadeOnce() {
        NamedFault.CHILD_DELETED.check(Careless::new, "ConfigMap default/count");
        assertThatThrownBy(() -> NamedFault.CHILD_DELETED.check(Careless::new, "ConfigMap count"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("do not make 'ConfigMap count'")
                .hasMessageContaining("but [ConfigMap default/count]");
    }

    @Test
    void logsALineForEachPlay() {
        Logger all = (Logger) LoggerFactory.getLogger("io.controllermanager");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        all.addAppender(lines);
        try {
            assertThatThrownBy(() -> NamedFault.CONNECTION_CUT.check(Careless::new))
                    .isInstanceOf(AssertionError.class);
            List<String> logged =
                    lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
            int undisturbed =
                    logged.indexOf("Cut connections: the connection is cut before the answer to write 1 of 2, "
                            + "create configmaps default/count: ends otherwise");
            assertThat(logged.subList(undisturbed + 1, logged.size()))
                    .containsExactly("Cut connections: the connection is cut before the answer to write 2 of 2, "
                            + "update configmaps default/count: ends otherwise");
            assertThat(((Logger) LoggerFactory.getLogger("io.controllermanager.manager")).getLevel())
                    .isNull();
        } finally {
            all.detachAppender(lines);
        }
    }

    @Test
    void saysWhereTheConnectionIsCut() {
        assertThatThrownBy(() -> NamedFault.CONNECTION_CUT.check(Careless::new))
                .hasMessageStartingWith("Cut connections: 2 of 2 plays")
                .hasMessageContaining(
                        "the connection is cut before the answer to write 1 of 2, create configmaps default/count:\n");
    }

    /** A greeting that is edited; notes whether the controllers watch anew from then on. */
    private static final class Watched implements Scenario {

        private final Set<String> verbs = ConcurrentHashMap.newKeySet();
        private final EditedGreeting edited = new EditedGreeting();

        @Override
        public ApiServerBuilder server() {
            return edited.server();
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return edited.controllers();
        }

        @Override
        public void play(Stage stage) throws ApiException {
            edited.play(stage);
            stage.server()
                    .faults()
                    .when(RequestMatcher.any().where(request -> {
                        if (request.verb().equals("watch")) {
                            verbs.add("watch");
                        }
                        return false;
                    }))
                    .hang();
        }

        @Override
        public Object outside() {
            return new TreeSet<>(verbs);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            SERVER_RESTARTED | the API server restarts: | outside: [] → [watch]
            HISTORY_EXPIRED  | history has expired:     | outside: [] → [watch]
            """)
    void cutsTheWatches(NamedFault fault, String what, String difference) {
        assertThatThrownBy(() -> fault.check(Watched::new))
                .hasMessageStartingWith("API server: 1 of 1 plays")
                .hasMessageContaining(what)
                .hasMessageContaining(difference);
    }

    /** A watch that reaches the server while that goes down is cut, and not refused: then history expires once more. */
    @Test
    void hasCachesListedAnew() throws ApiException {
        try (ApiServer server = new EditedGreeting().server().start();
                RunningManager manager = RunningManager.start(server, GreetingController.descriptor(new GuestBook()))) {
            manager.converges();
            long before = lists(manager);
            while (lists(manager) == before) {
                NamedFault.expire(server);
                new ResourceClient<>(server.client(), ResourceTypes.NAMESPACE)
                        .create(new V1Namespace().metadata(new V1ObjectMeta().generateName("another-version-")));
                manager.converges();
            }
        }
    }

    private static long lists(RunningManager manager) {
        return manager.manager().informers().stream()
                .mapToLong(InformerStatus::lists)
                .sum();
    }

    @Test
    void theDocumentationHasAll() throws IOException {
        assertThat(rows("## Faults by name")).containsExactlyElementsOf(names(NamedFault.values()));
    }

    @Test
    void theDocumentationCallsWhatIsThere() throws IOException {
        Set<String> methods = Stream.of(
                        ApiServer.class, Faults.class, Faults.Builder.class, RequestMatcher.class, Duration.class)
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .map(Method::getName)
                .collect(Collectors.toSet());
        List<String> called = found("\\.(\\w+)\\(", section("## Faults of the server"));
        assertThat(called).hasSizeGreaterThan(15);
        assertThat(methods).containsAll(called);
    }

    private static List<String> names(NamedFault... faults) {
        return Arrays.stream(faults).map(NamedFault::name).toList();
    }

    private static List<String> rows(String heading) throws IOException {
        return found("(?m)^\\| `([A-Z_]+)` \\|", section(heading));
    }

    private static String section(String heading) throws IOException {
        String page = Files.readString(PAGE);
        int start = page.indexOf(heading);
        assertThat(start).as(heading).isPositive();
        return page.substring(start, page.indexOf("\n## ", start));
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }
}
