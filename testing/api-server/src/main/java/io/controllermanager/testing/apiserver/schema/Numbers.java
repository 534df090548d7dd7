package io.controllermanager.testing.apiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Numbers as Go reads them: an int64 is what is written as an integer and fits, and all others are float64s. */
public final class Numbers {

    private Numbers() {}

    /** Makes float64s of integers that do not fit into an int64, in place. */
    public static void normalize(JsonNode value) {
        if (value instanceof ObjectNode object) {
            object.properties().forEach(field -> {
                if (field.getValue().isBigInteger()) {
                    field.setValue(DoubleNode.valueOf(field.getValue().asDouble()));
                } else {
                    normalize(field.getValue());
                }
            });
        } else if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                if (array.path(i).isBigInteger()) {
                    array.set(i, DoubleNode.valueOf(array.path(i).asDouble()));
                } else {
                    normalize(array.path(i));
                }
            }
        }
    }
}
