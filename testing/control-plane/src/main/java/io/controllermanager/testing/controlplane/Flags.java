package io.controllermanager.testing.controlplane;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Flags of one program, by name without dashes; a later value takes the place of an earlier one. */
final class Flags {

    private final Map<String, String> values = new LinkedHashMap<>();

    Flags set(String name, Object value) {
        values.put(name, value.toString());
        return this;
    }

    Flags setAll(Map<String, String> others) {
        values.putAll(others);
        return this;
    }

    List<String> arguments() {
        return values.entrySet().stream()
                .map(flag -> "--" + flag.getKey() + "=" + flag.getValue())
                .toList();
    }
}
