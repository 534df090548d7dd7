package io.controllermanager.test;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.cel.Rules;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.schema.Defaults;
import io.controllermanager.apiserver.schema.Schema;
import io.controllermanager.apiserver.schema.Validator;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.crd.CustomResourceDefinition;
import io.kubernetes.client.common.KubernetesObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Random objects of a class with {@code @CustomResource}: whatever its CRD takes, with its limits, patterns, formats and rules
 * in CEL. They have a name, some a label, and a status where the class has one; they have no namespace. The same seed gives
 * the same objects. Used by one thread.
 *
 * @param <T> the class
 */
public final class RandomObjects<T extends KubernetesObject> {

    private static final int TRIES = 1_000;

    private final ResourceType<T> type;
    private final Schema schema;
    private final Validator validator;
    private final Rules rules;
    private final Random random;
    private final RandomValues values;
    private List<Cause> refusals = new ArrayList<>();

    private RandomObjects(Class<T> objectClass, long seed) {
        type = ResourceType.of(objectClass);
        schema = Schema.of(Json.readOwn(ApiJson.write(CustomResourceDefinition.schemaOf(objectClass))));
        validator = new Validator(schema.node(), false);
        rules = Rules.compile("", schema.node(), new ArrayList<>());
        random = new Random(seed);
        values = new RandomValues(random);
    }

    /** Objects of a class. */
    public static <T extends KubernetesObject> RandomObjects<T> of(Class<T> objectClass, long seed) {
        return new RandomObjects<>(objectClass, seed);
    }

    /**
     * Another object.
     *
     * @throws IllegalStateException if a thousand tries are refused, as a rule by a rule in CEL
     */
    public T next() {
        return read(nextNode());
    }

    ObjectNode nextNode() {
        for (int i = 0; i < TRIES; i++) {
            ObjectNode object = (ObjectNode) values.of(schema.node());
            ObjectNode metadata = object.putObject("metadata").put("name", name());
            if (random.nextBoolean()) {
                metadata.putObject("labels").put("random", "yes");
            }
            ObjectNode taken = taken(object);
            if (taken != null) {
                return taken;
            }
        }
        throw new IllegalStateException(
                TRIES + " random objects of " + type + " are refused, the last for " + refusals);
    }

    private String name() {
        JsonNode named = schema.at("metadata").at("name").node();
        return named.has("type") ? values.of(named).asText() : "random-" + random.nextInt(Integer.MAX_VALUE);
    }

    /** The object as it is stored: with defaults, and with what its class has of it; null if it is refused. */
    @Nullable
    ObjectNode taken(ObjectNode object) {
        ObjectNode whole =
                object.deepCopy().put("apiVersion", type.apiVersion()).put("kind", type.kind());
        Defaults.apply(whole, schema);
        ObjectNode taken = Json.readOwn(ApiJson.write(read(whole)));
        refusals = validator.validate(taken, null);
        rules.judge(taken, null, refusals, new ArrayList<>());
        return refusals.isEmpty() ? taken : null;
    }

    private T read(ObjectNode object) {
        try {
            return ApiJson.read(Json.write(object), ApiJson.adapter(type.objectClass()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
