package io.controllermanager.test;

import io.controllermanager.client.Patch;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.testing.apiserver.ApiServer;
import io.controllermanager.testing.apiserver.ApiServerBuilder;
import io.kubernetes.client.openapi.ApiException;
import java.util.List;

/** What is done with a Greeting, one act after the other. */
final class GreetingScenario implements Scenario {

    /** Something that a user does, or that happens. */
    @FunctionalInterface
    interface Act {
        void play(Stage stage, GuestBook book) throws ApiException;
    }

    static final Act CREATE = create("hello", "Hello");
    static final Act EDIT = patch("{\"spec\":{\"text\":\"Good morning\"}}");
    static final Act RENAME = patch("{\"spec\":{\"configMapName\":\"other\"}}");
    static final Act DELETE = (stage, book) -> stage.client(Greeting.TYPE).delete("default", "hello");
    static final Act LOSE_ENTRY = (stage, book) -> {
        book.entries().clear();
        stage.advance(GreetingController.CHECKED);
    };

    private final GuestBook book = new GuestBook();
    private final Bug bug;
    private final List<Act> acts;

    GreetingScenario(Bug bug, Act... acts) {
        this.bug = bug;
        this.acts = List.of(acts);
    }

    static Act create(String configMapName, String text) {
        return (stage, book) -> stage.client(Greeting.TYPE).create(new Greeting("hello", configMapName, text));
    }

    private static Act patch(String json) {
        return (stage, book) -> stage.client(Greeting.TYPE).patch("default", "hello", new Patch.Merge(json));
    }

    @Override
    public ApiServerBuilder server() {
        return ApiServer.builder().manifests("classpath:greetings.yaml");
    }

    @Override
    public List<ControllerDescriptor> controllers() {
        return List.of(GreetingController.descriptor(book, bug));
    }

    @Override
    public void play(Stage stage) throws ApiException {
        for (Act act : acts) {
            act.play(stage, book);
            stage.converges();
        }
    }

    @Override
    public Object outside() {
        return book;
    }
}
