package io.controllermanager.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Plays of controllers that have several workers, whose writes come in another order each time. */
class WorkersTest {

    /** Two greetings that are made at once and edited at once. */
    private static final class ManyGreetings implements Scenario {

        private static final List<String> NAMES = List.of("first", "second");

        private final GuestBook book = new GuestBook();

        @Override
        public ApiServerBuilder server() {
            return ApiServer.builder().manifests("classpath:greetings.yaml");
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(GreetingController.descriptor(book));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            ResourceClient<Greeting> greetings = stage.client(Greeting.TYPE);
            for (String name : NAMES) {
                greetings.create(new Greeting(name, name, "Hello"));
            }
            stage.converges();
            for (String name : NAMES) {
                greetings.patch(
                        "default", name, new Patch.Merge("{\"spec\":{\"configMapName\":\"" + name + "-other\"}}"));
            }
        }

        @Override
        public Object outside() {
            return book;
        }
    }

    @Test
    void comesToTheSameEnd() {
        CrashPoints.of(ManyGreetings::new).check();
        RefusedWrites.of(ManyGreetings::new).check();
        OvertakenWrites.of(ManyGreetings::new).check();
    }

    @Test
    void oneWriteIsSentAtATime() {
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        try (Play play = new Play(new ManyGreetings(), (write, attempt) -> {
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            try {
                return attempt.send();
            } finally {
                underWay.decrementAndGet();
            }
        })) {
            play.run();
            assertThat(play.writes()).hasSizeGreaterThan(8);
        }
        assertThat(most).hasValue(1);
    }

    /** Makes two ConfigMaps, in the one order at first and in the other later, and takes it that both are there or none. */
    private static final class AnyOrder implements Scenario {

        private final boolean reversed;

        AnyOrder(boolean reversed) {
            this.reversed = reversed;
        }

        @Override
        public List<ControllerDescriptor> controllers() {
            return List.of(ControllerDescriptor.named("pair")
                    .forType(ResourceTypes.NAMESPACE)
                    .reconcilerFactory(context -> {
                        ResourceClient<V1ConfigMap> maps =
                                new ResourceClient<>(context.apiClient(), ResourceTypes.CONFIG_MAP);
                        return request -> {
                            try {
                                if (request.getName().equals("pair")
                                        && maps.list("default").isEmpty()) {
                                    maps.create(map(reversed ? "two" : "one"));
                                    maps.create(map(reversed ? "one" : "two"));
                                }
                                return new Result(false);
                            } catch (ApiException e) {
                                throw new IllegalStateException(e);
                            }
                        };
                    })
                    .build());
        }

        private static V1ConfigMap map(String name) {
            return new V1ConfigMap()
                    .metadata(new V1ObjectMeta().namespace("default").name(name));
        }

        @Override
        public void play(Stage stage) throws ApiException {
            stage.client(ResourceTypes.NAMESPACE).create(new V1Namespace().metadata(new V1ObjectMeta().name("pair")));
        }
    }

    @Test
    void theWriteAfterWhichItGoesWrongIsNamedWhateverTheOrder() {
        AtomicInteger plays = new AtomicInteger();
        assertThatThrownBy(() -> CrashPoints.of(() -> new AnyOrder(plays.getAndIncrement() > 0))
                        .check())
                .hasMessageStartingWith("Crash points: 1 of 3 plays")
                .hasMessageContaining("the process is lost after write 2 of 2, create configmaps default/two:\n"
                        + "    ConfigMap default/one is missing");
    }

    /** A write that is made again after a failure is another one. */
    @Test
    void eachTurnOfAWriteIsOneOfItsOwn() {
        SentWrite first = new SentWrite("PATCH", "/api/v1/namespaces/pair", "patch namespaces pair", 1);
        SentWrite other = new SentWrite("PATCH", "/api/v1/namespaces/other", "patch namespaces other", 1);

        assertThat(first.after(List.of())).isEqualTo(first);
        assertThat(first.after(List.of(first, other)).turn()).isEqualTo(2);
        assertThat(first.after(List.of(other))).isEqualTo(first);
    }
}
