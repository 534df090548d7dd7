package io.controllermanager.client.internal.request;

import java.util.LinkedHashMap;
import java.util.Map;

/** Holds so many entries at most: the one that was put or looked up longest ago gives way, and comes first. */
public final class BoundedMap<K, V> extends LinkedHashMap<K, V> {

    private static final long serialVersionUID = 1;

    private final int most;

    /** With no entry yet. */
    public BoundedMap(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
