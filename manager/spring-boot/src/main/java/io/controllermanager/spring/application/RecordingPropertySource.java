package io.controllermanager.spring.application;

import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.EnumerablePropertySource;

/** Has no property, and notes each that is asked for. Stands before all others. Thread-safe. */
final class RecordingPropertySource extends EnumerablePropertySource<Set<String>> {

    static final String NAME = "controllerManagerRecording";

    private final String resource;

    /**
     * With nothing noted.
     *
     * @param resource where the build writes what has been noted
     */
    RecordingPropertySource(String resource) {
        super(NAME, ConcurrentHashMap.newKeySet());
        this.resource = resource;
    }

    String resource() {
        return resource;
    }

    /** Those that have been asked for up to now. */
    Set<String> names() {
        return Collections.unmodifiableSet(getSource());
    }

    @Override
    public String[] getPropertyNames() {
        return new String[0];
    }

    @Override
    public boolean containsProperty(String name) {
        getSource().add(name);
        return false;
    }

    @Override
    public @Nullable Object getProperty(String name) {
        getSource().add(name);
        return null;
    }
}
