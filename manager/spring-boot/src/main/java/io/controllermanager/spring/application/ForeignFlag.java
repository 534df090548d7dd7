package io.controllermanager.spring.application;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/**
 * A flag of kube-controller-manager that sets nothing here.
 *
 * @param kind what follows it
 * @param accepted whether it is taken without effect; false if it is refused
 * @param sentence why, and what to use in its place
 */
record ForeignFlag(Flag.Kind kind, boolean accepted, String sentence) {

    private static final String RESOURCE = "META-INF/controller-manager/foreign-flags.properties";

    /** By their names. They are read anew each time: few command lines have one. */
    static Map<String, ForeignFlag> all() {
        Properties lines;
        try {
            lines = PropertiesLoaderUtils.loadProperties(
                    new ClassPathResource(RESOURCE, ForeignFlag.class.getClassLoader()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, ForeignFlag> all = new TreeMap<>();
        lines.forEach((name, line) -> {
            String[] parts = line.toString().split(" ", 3);
            Flag.Kind kind = Flag.Kind.valueOf(parts[0].toUpperCase(Locale.ROOT));
            all.put(name.toString(), new ForeignFlag(kind, parts[1].equals("accepted"), parts[2]));
        });
        return all;
    }
}
