package io.controllermanager.informer.internal;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** The newest versions that this process has written, by label. Safe for use by several threads. */
final class WrittenVersions {

    private final Map<String, Long> newest = new ConcurrentHashMap<>();

    /** Notes a version; one that is not known is left out. */
    void note(String label, long version) {
        if (version > 0) {
            newest.merge(label, version, Math::max);
        }
    }

    Map<String, String> all() {
        Map<String, String> versions = new TreeMap<>();
        newest.forEach((label, version) -> versions.put(label, Long.toString(version)));
        return versions;
    }

    void clear() {
        newest.clear();
    }
}
