package io.controllermanager.spring.actuate.zpages;

import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The flags and properties of the process. */
public final class Flagz extends ZPage {

    private static final long serialVersionUID = 1;

    private final transient Supplier<Map<String, String>> flags;

    /**
     * Makes the page.
     *
     * @param flags by their names, in order; may be asked by several threads at once
     */
    public Flagz(String component, Supplier<Map<String, String>> flags) {
        super("Flagz", component);
        this.flags = flags;
    }

    @Override
    String text() {
        return flags.get().entrySet().stream()
                .map(flag -> flag.getKey() + "=" + flag.getValue() + "\n")
                .collect(Collectors.joining());
    }

    @Override
    Map<String, Object> fields() {
        return Map.of("flags", flags.get());
    }
}
