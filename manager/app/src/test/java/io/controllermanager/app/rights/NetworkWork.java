package io.controllermanager.app.rights;

import static io.controllermanager.app.rights.Stage.soon;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.controllermanager.app.rights.Proof.Group;
import io.kubernetes.client.openapi.ApiException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the controller network does. Each Network that it makes has addresses of its own. */
final class NetworkWork extends CustomWork {

    private static final String DERIVED = "Derived";
    private static final String OVERLAP = "Overlap";

    private int made;

    NetworkWork(Stage stage) {
        super(stage, new CustomObjects(stage, "sample.k8s.io", "v1", "Network", "networks"), Set.of("sample.k8s.io"));
    }

    @Override
    public void round(String name) throws Exception {
        String cidr = nextCidr();
        create(name, cidr);
        soon("a new Network is ready and has an Event", () -> {
            expectReady(name, "True");
            stage.expectEvent(name, DERIVED);
        });
        String other = name + "-other";
        create(other, cidr);
        soon("neither of two that overlap is ready", () -> {
            expectReady(name, "False");
            expectReady(other, "False");
        });
        change(other, nextCidr());
        soon("both are ready once one has changed", () -> {
            expectReady(name, "True");
            expectReady(other, "True");
        });
        change(other, cidr);
        soon("they overlap again, which is a series of Events", () -> {
            expectReady(name, "False");
            assertThat(stage.events(namespace, name, overlapReason(name))).anyMatch(event -> event.getSeries() != null);
        });
        objects.delete(other);
        soon("the one that is left is ready", () -> expectReady(name, "True"));
        objects.delete(name);
    }

    @Override
    Proof proof(Right right, String name) {
        return switch (right.what()) {
            case "list networks" -> Proof.ofList(stage, "network", right);
            case "watch networks" -> Proof.ofWatch(stage, Group.WATCHES, right);
            case "patch networks/status" ->
                Proof.of(
                        right,
                        Group.WRITES,
                        () -> create(name, nextCidr()),
                        "the Network has no status",
                        () -> assertThat(ready(name)).isNull(),
                        () -> expectReady(name, "True"));
            case "create events" ->
                Proof.of(
                        right,
                        Group.LISTS,
                        () -> create(name, nextCidr()),
                        "the Network is ready and has no Event",
                        () -> {
                            expectReady(name, "True");
                            stage.expectNoEvent(name, DERIVED);
                        },
                        () -> expectNewOneToHaveAnEvent(name));
            case "patch events" -> noSeries(right, name, nextCidr());
            default -> throw new AssertionError("nothing is known to need the right to " + right);
        };
    }

    /** What was derived from a CIDR is told again when the Network comes back to it. */
    private Proof noSeries(Right right, String name, String cidr) {
        return Proof.of(
                        right,
                        Group.LISTS,
                        () -> change(name, cidr),
                        "an Event that came again is no series",
                        () -> stage.expectNoSeries(name, DERIVED),
                        () -> expectNewOneToHaveAnEvent(name))
                .prepared(() -> {
                    create(name, cidr);
                    soon("it is told", () -> stage.expectEvents(name, DERIVED, 1));
                    change(name, nextCidr());
                    soon("so is another one", () -> stage.expectEvents(name, DERIVED, 2));
                });
    }

    private void expectNewOneToHaveAnEvent(String name) throws ApiException {
        if (objects.get(name + "-healed") == null) {
            create(name + "-healed", nextCidr());
        }
        stage.expectEvent(name + "-healed", DERIVED);
    }

    private String overlapReason(String name) {
        JsonObject network = objects.get(name);
        String reason = network == null ? null : condition(network, "reason");
        return reason == null ? OVERLAP : reason;
    }

    private String nextCidr() {
        made++;
        return "10." + made + ".0.0/16";
    }

    private void create(String name, String cidr) throws ApiException {
        objects.create(name, spec(cidr));
    }

    private void change(String name, String cidr) throws ApiException {
        objects.change(name, spec(cidr));
    }

    private static JsonObject spec(String cidr) {
        JsonObject spec = new JsonObject();
        spec.addProperty("cidr", cidr);
        return spec;
    }

    private void expectReady(String name, String status) {
        assertThat(ready(name)).as("whether %s is ready", name).isEqualTo(status);
    }

    private @Nullable String ready(String name) {
        JsonObject network = objects.get(name);
        return network == null ? null : condition(network, "status");
    }

    /** Of the condition Ready, null if there is none. */
    private static @Nullable String condition(JsonObject network, String member) {
        JsonObject status = network.getAsJsonObject("status");
        if (status == null || !status.has("conditions")) {
            return null;
        }
        return status.getAsJsonArray("conditions").asList().stream()
                .map(condition -> condition.getAsJsonObject())
                .filter(condition -> condition.get("type").getAsString().equals("Ready"))
                .map(condition -> condition.get(member).getAsString())
                .findAny()
                .orElse(null);
    }
}
