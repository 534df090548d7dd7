package io.controllermanager.spring.application;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A flag of kube-controller-manager that sets nothing here.
 *
 * @param kind what follows it
 * @param accepted whether it is taken without effect; false if it is refused
 * @param sentence why, and what to use in its place
 */
record ForeignFlag(Flag.Kind kind, boolean accepted, String sentence) {

    /** By their names. They are read anew each time: few command lines have one. */
    static Map<String, ForeignFlag> all() {
        Map<String, ForeignFlag> all = new TreeMap<>();
        DefaultsPostProcessor.load("foreign-flags").forEach((name, line) -> {
            String[] parts = line.toString().split(" ", 3);
            Flag.Kind kind = Flag.Kind.valueOf(parts[0].toUpperCase(Locale.ROOT));
            all.put(name.toString(), new ForeignFlag(kind, parts[1].equals("accepted"), parts[2]));
        });
        return all;
    }
}
