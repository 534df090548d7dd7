package io.controllermanager.test;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.client.ResourceType;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import io.controllermanager.webhook.internal.answer.Conversions;
import io.kubernetes.client.common.KubernetesObject;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Whether converters lose nothing: random objects of each version of a type are converted to each other version and back, and have
 * to be what they were. Where a converter keeps losses, each field that only its annotation brings back has to be named as well, for
 * who reads the other version does not see it. Of the objects that fail, a failure shows the smallest.
 *
 * <pre>{@code
 * RoundTrip.of(new WebsiteConverter()).check();
 * }</pre>
 */
public final class RoundTrip {

    private final Conversions conversions = new Conversions();
    private final Map<String, Class<? extends KubernetesObject>> versions = new TreeMap<>();
    private final Map<String, Set<String>> kept = new HashMap<>();

    private RoundTrip() {}

    /** The round trips of a type that has these converters and no others. */
    public static RoundTrip of(Converter<?, ?>... converters) {
        RoundTrip trip = new RoundTrip();
        for (Converter<?, ?> converter : converters) {
            trip.conversions.add(converter.getClass(), converter);
            ConversionWebhook webhook =
                    Objects.requireNonNull(converter.getClass().getAnnotation(ConversionWebhook.class));
            trip.versions.put(ResourceType.of(webhook.value()).apiVersion(), webhook.value());
            trip.versions.put(ResourceType.of(webhook.hub()).apiVersion(), webhook.hub());
        }
        return trip;
    }

    /**
     * Only an annotation brings back these fields of a version, and all that is in them.
     *
     * @param fields such as {@code spec.colour}
     */
    public RoundTrip keeping(Class<? extends KubernetesObject> version, String... fields) {
        kept.computeIfAbsent(ResourceType.of(version).apiVersion(), any -> new HashSet<>())
                .addAll(List.of(fields));
        return this;
    }

    /** Converts 500 objects of each version. */
    public void check() {
        check(500, 1);
    }

    /**
     * Converts random objects of each version.
     *
     * @param objects how many of each
     * @param seed others for another seed
     * @throws AssertionError if something is lost
     */
    public void check(int objects, long seed) {
        versions.forEach((from, version) -> {
            RandomObjects<?> random = RandomObjects.of(version, seed);
            List<ObjectNode> all =
                    Stream.generate(random::nextNode).limit(objects).toList();
            for (String to : versions.keySet()) {
                String shortest = all.stream()
                        .map(object -> wrong(object, from, to))
                        .min(Comparator.comparingInt(wrong -> wrong.isEmpty() ? Integer.MAX_VALUE : wrong.length()))
                        .orElse("");
                if (!shortest.isEmpty()) {
                    throw new AssertionError("From %s to %s, seed %d: %s".formatted(from, to, seed, shortest));
                }
            }
        });
    }

    /** What is wrong with an object's way to another version and back; empty if nothing is. */
    private String wrong(ObjectNode object, String from, String to) {
        try {
            JsonObject sent = JsonParser.parseString(object.toString()).getAsJsonObject();
            JsonObject converted = conversions.convert(sent, to).deepCopy();
            List<String> lost = Differences.between(object, back(converted, from));
            if (!lost.isEmpty()) {
                return told(
                        "it comes back with other values. Have the converter write these fields in both directions, or"
                                + " say keepsLosses = true in its @ConversionWebhook:",
                        lost,
                        object);
            }
            if (converted.getAsJsonObject("metadata").get("annotations") instanceof JsonObject annotations) {
                annotations.keySet().removeIf(name -> name.startsWith(Conversions.LOSSES));
            }
            Set<String> named = kept.getOrDefault(from, Set.of());
            List<String> hidden = Differences.between(object, back(converted, from)).stream()
                    .filter(line ->
                            !line.startsWith("metadata") && named.stream().noneMatch(line::startsWith))
                    .toList();
            return hidden.isEmpty()
                    ? ""
                    : told(
                            "only an annotation brings values back. Have the converter write these fields in both directions,"
                                    + " or name them in keeping(...):",
                            hidden,
                            object);
        } catch (RuntimeException e) {
            return told("the converter throws " + e, List.of(), object);
        }
    }

    private ObjectNode back(JsonObject converted, String from) {
        return Json.readOwn(conversions.convert(converted, from).toString().getBytes(StandardCharsets.UTF_8));
    }

    private static String told(String what, List<String> differences, ObjectNode object) {
        return what + "\n  " + String.join("\n  ", differences) + "\nThe object: " + object;
    }
}
