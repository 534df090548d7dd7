package io.controllermanager.controller.internal;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who manages which fields of an object, as its {@code metadata.managedFields} say.
 *
 * @param entries without their times, which do not tell what was changed
 */
record FieldManagers(Set<JsonElement> entries) {

    /** Of an object as the API server answers it. */
    static FieldManagers of(JsonObject object) {
        Set<JsonElement> entries = new HashSet<>();
        if (object.get("metadata") instanceof JsonObject metadata
                && metadata.get("managedFields") instanceof JsonArray managers) {
            for (JsonElement manager : managers) {
                if (manager.deepCopy() instanceof JsonObject entry) {
                    entry.remove("time");
                    entries.add(entry);
                }
            }
        }
        return new FieldManagers(entries);
    }

    /**
     * Who has taken fields from somebody since: the managers whose entries are new or have other fields now. The entry of
     * the one who lost them is other as well.
     *
     * @param loser who lost them; among those returned only if nobody else is
     */
    Set<String> rivals(FieldManagers now, String loser) {
        Set<String> changed = new TreeSet<>();
        for (JsonElement entry : now.entries) {
            if (!entries.contains(entry) && entry instanceof JsonObject manager && manager.has("manager")) {
                changed.add(manager.get("manager").getAsString());
            }
        }
        if (changed.size() > 1) {
            changed.remove(loser);
        }
        return changed;
    }
}
