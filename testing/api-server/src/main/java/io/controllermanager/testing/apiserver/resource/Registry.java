package io.controllermanager.testing.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Meta;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The types that are served at the moment. For use by any thread. */
public final class Registry {

    private final BuiltIns builtIns;
    private final Map<String, List<ResourceType>> custom = new LinkedHashMap<>();
    private volatile List<ResourceType> types;

    public Registry(BuiltIns builtIns) {
        this.builtIns = builtIns;
        this.types = builtIns.types();
    }

    public BuiltIns builtIns() {
        return builtIns;
    }

    /** Serves what a CRD defines, in place of what an earlier state of it defined. */
    public synchronized void define(JsonNode crd) {
        custom.put(Meta.name(crd), CustomTypes.of(crd, builtIns.metadata()));
        publish();
    }

    public synchronized void undefine(String crd) {
        custom.remove(crd);
        publish();
    }

    private void publish() {
        List<ResourceType> all = new ArrayList<>(builtIns.types());
        custom.values().forEach(all::addAll);
        types = List.copyOf(all);
    }

    public List<ResourceType> types() {
        return types;
    }

    /**
     * The type of a path.
     *
     * @throws StatusException 404 if there is none
     */
    public ResourceType get(String group, String version, String plural) {
        for (ResourceType type : types) {
            if (type.is(group, plural) && type.version().equals(version)) {
                return type;
            }
        }
        throw StatusException.noSuchResource();
    }

    /** The type that an owner reference names; null if there is none. */
    public @Nullable ResourceType ofKind(String apiVersion, String kind) {
        for (ResourceType type : types) {
            if (type.kind().equals(kind) && type.apiVersion().equals(apiVersion)) {
                return type;
            }
        }
        return null;
    }

    /** The groups but the core's, in the order in which they came. */
    public Set<String> groups() {
        Set<String> groups = new LinkedHashSet<>();
        types.forEach(type -> groups.add(type.group()));
        groups.remove("");
        return groups;
    }

    public Set<String> versions(String group) {
        Set<String> versions = new LinkedHashSet<>();
        types.stream().filter(type -> type.group().equals(group)).forEach(type -> versions.add(type.version()));
        return versions;
    }

    public List<ResourceType> types(String group, String version) {
        return types.stream()
                .filter(type -> type.group().equals(group) && type.version().equals(version))
                .toList();
    }
}
