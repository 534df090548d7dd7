package io.controllermanager.external.internal;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.controllermanager.client.internal.json.ApiJson;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What an object's annotation records of the things that it has outside. It names the object, so that a manifest that was copied
 * with its annotations claims nothing; a backup that is restored does. Immutable, and the same text for the same record.
 *
 * @param of the object: group, kind, namespace and name
 * @param made by the name of the {@link io.controllermanager.external.External}
 */
record Ledger(String of, Map<String, List<Entry>> made) {

    /**
     * One thing.
     *
     * @param key what the author calls it
     * @param id what the system calls it, null if that is the key, or is not known yet
     * @param token with what it is being made; null once the id is known, and for names
     * @param at when the system gave the id, as an ISO instant; null for names
     */
    record Entry(
            JsonElement key,
            @Nullable String id,
            @Nullable String token,
            @Nullable String at) {}

    /**
     * Reads an annotation.
     *
     * @throws IllegalStateException if it is no such record: what it said would be left behind
     */
    static Ledger read(@Nullable String annotation, String of) {
        if (annotation == null) {
            return new Ledger(of, Map.of());
        }
        try {
            @Nullable Ledger found = ApiJson.read(JsonParser.parseString(annotation), ApiJson.adapter(Ledger.class));
            return found != null && of.equals(found.of) && found.made != null ? found : new Ledger(of, Map.of());
        } catch (JsonParseException e) {
            throw new IllegalStateException(
                    "the annotation that records what there is outside cannot be read: " + annotation, e);
        }
    }

    /** Those of one kind. */
    List<Entry> entries(String external) {
        return made.getOrDefault(external, List.of());
    }

    /** The entry of a thing, null if there is none. */
    @Nullable
    Entry entry(String external, JsonElement key) {
        return entries(external).stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElse(null);
    }

    /** With another entry of a thing, or without one. */
    Ledger with(String external, JsonElement key, @Nullable Entry changed) {
        List<Entry> entries = new ArrayList<>(entries(external));
        entries.removeIf(entry -> entry.key().equals(key));
        if (changed != null) {
            entries.add(changed);
            entries.sort(Comparator.comparing(entry -> entry.key().toString()));
        }
        Map<String, List<Entry>> all = new TreeMap<>(made);
        all.put(external, List.copyOf(entries));
        all.values().removeIf(List::isEmpty);
        return new Ledger(of, all);
    }

    /** The annotation; null where nothing is recorded. */
    @Nullable
    String text() {
        return made.isEmpty() ? null : ApiJson.tree(this).toString();
    }
}
