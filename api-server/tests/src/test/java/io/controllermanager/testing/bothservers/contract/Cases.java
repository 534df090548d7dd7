package io.controllermanager.testing.bothservers.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.SoftAssertions;

/**
 * Many small changes of one object, and what the server makes of each. A case is a line of two or three parts with {@code ;}
 * between them: values that are set at paths ({@code spec.ports.0.port=80}, with {@code &} between several; a minus stands
 * for no value), and what is expected. JSON has single quotes.
 */
final class Cases {

    private final Api api;
    private final String all;
    private final String object;

    /**
     * Changes this object.
     *
     * @param all where such objects are created
     */
    Cases(Api api, String all, String object) {
        this.api = api;
        this.all = all;
        this.object = object;
    }

    /** Expects that creations show values: the third part, at the path that is the second. */
    void show(String cases) {
        check(cases, (softly, parts) -> {
            Reply reply = api.create(all + "?dryRun=All", changed(parts[0]));
            softly.assertThat(reply.code()).as(parts[0] + reply.body()).isEqualTo(201);
            softly.assertThat(at(reply.body(), parts[1]))
                    .as(String.join(";", parts))
                    .isEqualTo(value(parts[2]));
        });
    }

    /** Expects that creations are refused: for a field, the second part, with a message that begins with the third, if any. */
    void refuse(String cases) {
        check(
                cases,
                (softly, parts) -> assertRefused(softly, parts, api.create(all + "?dryRun=All", changed(parts[0]))));
    }

    /** Expects that the object is created, and merge patches of it are refused as creations are by {@link #refuse}. */
    void refusePatches(String cases) {
        String name = api.create(all, changed("")).ok().at("/metadata/name");
        check(cases, (softly, parts) -> {
            ObjectNode patch = Api.json("{}");
            change(patch, parts[0]);
            assertRefused(softly, parts, api.patch(all + "/" + name, Api.MERGE_PATCH, patch.toString()));
        });
    }

    private static void assertRefused(SoftAssertions softly, String[] parts, Reply reply) {
        List<String> causes = new ArrayList<>();
        reply.node("/details/causes")
                .forEach(cause -> causes.add(cause.path("field").asText() + "; "
                        + cause.path("message").asText().replace('"', '\'')));
        softly.assertThat(reply.code()).as(parts[0] + reply.body()).isEqualTo(422);
        softly.assertThat(causes)
                .as(parts[0])
                .anyMatch(cause -> cause.startsWith(parts[1] + "; " + (parts.length > 2 ? parts[2] : "")));
    }

    private interface Check {
        void of(SoftAssertions softly, String[] parts);
    }

    private static void check(String cases, Check check) {
        SoftAssertions softly = new SoftAssertions();
        cases.lines().map(line -> line.split("; ", 3)).forEach(parts -> check.of(softly, parts));
        softly.assertAll();
    }

    private ObjectNode changed(String changes) {
        ObjectNode node = Api.json(object.replace("%", "%%"));
        change(node, changes);
        return node;
    }

    private static void change(ObjectNode node, String changes) {
        for (String change : changes.isEmpty() ? new String[0] : changes.split("&", -1)) {
            String[] parts = change.split("=", 2);
            String[] steps = parts[0].split("\\.", -1);
            JsonNode at = node;
            for (String step : Arrays.copyOf(steps, steps.length - 1)) {
                at = at.isArray()
                        ? at.path(Integer.parseInt(step))
                        : at.path(step).isArray() ? at.path(step) : ((ObjectNode) at).withObject("/" + step);
            }
            String last = steps[steps.length - 1];
            if (at instanceof ArrayNode list) {
                list.set(Integer.parseInt(last), value(parts[1]));
            } else if (parts[1].equals("-")) {
                ((ObjectNode) at).remove(last);
            } else {
                ((ObjectNode) at).set(last, value(parts[1]));
            }
        }
    }

    private static JsonNode at(JsonNode node, String path) {
        return node.at("/" + path.replace('.', '/'));
    }

    private static JsonNode value(String json) {
        return json.equals("-")
                ? at(Api.json("{}"), "none")
                : Api.json("{'v':%s}", json).path("v");
    }
}
