package io.controllermanager.apiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.webhook.WebhookClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The types that are served at the moment. For use by any thread. */
public final class Registry {

    private final WebhookClient client;
    private final Map<String, Definition> custom = new LinkedHashMap<>();
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private volatile List<ResourceType> types;

    private record Definition(JsonNode spec, List<ResourceType> types) {}

    /** Only the built-in types at first. The client converts between the versions of custom ones. */
    public Registry(WebhookClient client) {
        this.client = client;
        this.types = BuiltIns.all().types();
    }

    /**
     * Serves what a CRD defines. The caller leaves the CRD as it is.
     *
     * @return whether this takes the place of something else that it defined before
     */
    public synchronized boolean define(JsonNode crd) {
        Definition before = custom.get(Meta.name(crd));
        if (before != null && before.spec().equals(crd.path("spec"))) {
            return false;
        }
        List<ResourceType> defined = CustomTypes.of(crd, client);
        custom.put(Meta.name(crd), new Definition(crd.path("spec"), defined));
        publish();
        return before != null;
    }

    /** Serves no more of what a CRD defined; tells whether there was anything. */
    public synchronized boolean undefine(String crd) {
        boolean was = custom.remove(crd) != null;
        publish();
        return was;
    }

    /** Whether another CRD of the group has one of these names. */
    public boolean isTaken(JsonNode crd, JsonNode names) {
        List<String> wanted = names.isArray() ? Json.texts(names) : List.of(names.asText());
        return types.stream()
                .filter(type -> type.group().equals(crd.at("/spec/group").asText())
                        && !type.storage().equals(Meta.name(crd)))
                .flatMap(type -> Stream.concat(
                        Stream.of(type.plural(), type.singular(), type.kind(), type.listKind()),
                        type.shortNames().stream()))
                .anyMatch(wanted::contains);
    }

    private void publish() {
        List<ResourceType> all = new ArrayList<>(BuiltIns.all().types());
        custom.values().forEach(definition -> all.addAll(definition.types()));
        types = List.copyOf(all);
        known.addAll(groups());
    }

    public List<ResourceType> types() {
        return types;
    }

    /** The type of a path; 404 if there is none. */
    public ResourceType get(String group, String version, String plural) {
        return types.stream()
                .filter(type -> type.is(group, plural) && type.version().equals(version))
                .findFirst()
                .orElseThrow(StatusException::noSuchResource);
    }

    /** The type that an owner reference names; null if there is none. */
    public @Nullable ResourceType ofKind(String apiVersion, String kind) {
        return types.stream()
                .filter(type -> type.kind().equals(kind) && type.apiVersion().equals(apiVersion))
                .findFirst()
                .orElse(null);
    }

    /** The groups but the core's, in the order in which they came. */
    public Set<String> groups() {
        Set<String> groups = new LinkedHashSet<>();
        types.forEach(type -> groups.add(type.group()));
        groups.remove("");
        return groups;
    }

    /** Whether something of a group was served, and nothing is any more. */
    public boolean isGone(String group) {
        return known.contains(group) && !groups().contains(group);
    }

    /** A group's versions, the preferred one first. */
    public Set<String> versions(String group) {
        Set<String> versions = new TreeSet<>(VersionOrder.PREFERRED_FIRST);
        types.stream().filter(type -> type.group().equals(group)).forEach(type -> versions.add(type.version()));
        return versions;
    }

    public List<ResourceType> types(String group, String version) {
        return types.stream()
                .filter(type -> type.group().equals(group) && type.version().equals(version))
                .sorted(Comparator.comparing(ResourceType::plural))
                .toList();
    }
}
