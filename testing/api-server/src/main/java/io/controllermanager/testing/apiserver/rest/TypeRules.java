package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.resource.CustomTypes;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import io.controllermanager.testing.apiserver.resource.Scale;
import io.controllermanager.testing.apiserver.schema.Defaults;
import io.controllermanager.testing.apiserver.schema.TypeCheck;
import io.controllermanager.testing.apiserver.schema.UniqueItems;
import io.controllermanager.testing.apiserver.validation.BuiltInRules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What holds for objects of one type: defaults, and what is valid. */
final class TypeRules {

    /** Where built-in types have what a Pod has in its spec. */
    private static final List<String> POD_SPECS =
            List.of("spec", "template.spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec");

    private TypeRules() {}

    static void setDefaults(ResourceType type, ObjectNode object) {
        Defaults.apply(object, type.schema());
        switch (type.groupResource()) {
            case "namespaces" -> {
                Json.child(Meta.of(object), "labels").put("kubernetes.io/metadata.name", Meta.name(object));
                if (!object.path("spec").has("finalizers")) {
                    Json.child(object, "spec").putArray("finalizers").add("kubernetes");
                }
            }
            case "secrets" -> encodeStrings(object);
            case "services" ->
                object.path("spec")
                        .path("ports")
                        .forEach(port -> ((ObjectNode) port).putIfAbsent("targetPort", port.path("port")));
            case "pods" -> QualityOfService.set(object);
            case "replicationcontrollers" -> {
                JsonNode labels = object.at("/spec/template/metadata/labels");
                if (labels.isObject() && object.at("/spec/selector").isEmpty()) {
                    Json.child(object, "spec").set("selector", labels.deepCopy());
                }
                JobRules.takeLabels(object);
            }
            case "jobs.batch" -> JobRules.setDefaults(object);
            case "networkpolicies.networking.k8s.io" -> {
                if (object.at("/spec/policyTypes").isEmpty()) {
                    ArrayNode types =
                            Json.child(object, "spec").putArray("policyTypes").add("Ingress");
                    if (!object.at("/spec/egress").isEmpty()) {
                        types.add("Egress");
                    }
                }
            }
            case "deployments.apps" -> {
                if (object.path("spec").path("strategy") instanceof ObjectNode strategy
                        && strategy.path("type").asText().equals("RollingUpdate")) {
                    ObjectNode rolling = Json.child(strategy, "rollingUpdate");
                    rolling.putIfAbsent("maxUnavailable", TextNode.valueOf("25%"));
                    rolling.putIfAbsent("maxSurge", TextNode.valueOf("25%"));
                }
            }
            case "customresourcedefinitions.apiextensions.k8s.io" -> {
                ObjectNode names = Json.child(Json.child(object, "spec"), "names");
                String kind = names.path("kind").asText();
                names.putIfAbsent("listKind", TextNode.valueOf(kind + "List"));
                names.putIfAbsent("singular", TextNode.valueOf(kind.toLowerCase(Locale.ROOT)));
            }
            default -> {}
        }
        if (!type.isCustom()) {
            POD_SPECS.forEach(path -> setPullPolicies(Json.at(object, path)));
        }
    }

    private static void encodeStrings(ObjectNode secret) {
        JsonNode strings = secret.remove("stringData");
        if (strings != null) {
            ObjectNode data = Json.child(secret, "data");
            strings.properties()
                    .forEach(entry -> data.put(
                            entry.getKey(),
                            Base64.getEncoder()
                                    .encodeToString(entry.getValue().asText().getBytes(StandardCharsets.UTF_8))));
        }
    }

    private static void setPullPolicies(JsonNode podSpec) {
        for (String list : List.of("containers", "initContainers")) {
            podSpec.path(list).forEach(container -> {
                String image = container.path("image").asText();
                String tag = image.substring(image.lastIndexOf('/') + 1);
                String policy = !tag.contains(":") || tag.endsWith(":latest") ? "Always" : "IfNotPresent";
                ((ObjectNode) container).putIfAbsent("imagePullPolicy", TextNode.valueOf(policy));
            });
        }
    }

    /**
     * What is wrong with an object.
     *
     * @param before its state until now; null for one that is created
     * @param warnings get what is to be told but stops nothing
     */
    static List<Cause> judge(ResourceType type, @Nullable ObjectNode before, ObjectNode object, List<String> warnings) {
        if (type.validator() != null) {
            List<Cause> causes = type.validator().validate(object, before);
            // What has been wrong before may stay.
            if (before == null || UniqueItems.judge(before, type.schema()).isEmpty()) {
                causes.addAll(UniqueItems.judge(object, type.schema()));
            }
            if (type.scale() != null) {
                scale(type.scale(), object, causes);
            }
            if (type.rules() != null) {
                type.rules().judge(object, before, causes, warnings);
            }
            return causes;
        }
        List<Cause> causes = BuiltInRules.judge(type.groupResource(), object);
        Set<String> judged = causes.stream().map(Cause::field).collect(Collectors.toSet());
        TypeCheck.required(object, type.schema()).stream()
                // Of metadata the same is said for all types.
                .filter(cause -> !cause.field().startsWith("metadata.") && !judged.contains(cause.field()))
                .forEach(causes::add);
        JsonNode spec = object.path("spec");
        if (type.group().equals("apps") || type.is("batch", "jobs")) {
            JsonNode template = spec.path("template");
            Map<String, String> labels = Meta.labels(template);
            JsonNode wanted = spec.path("selector").path("matchLabels");
            List<Cause> wrong = new ArrayList<>();
            MetadataRules.labels("spec.selector.matchLabels", Meta.texts(wanted), wrong);
            if (wrong.isEmpty()) {
                MetadataRules.labels("spec.template.labels", labels, wrong);
            }
            causes.addAll(wrong);
            boolean matches = wanted.properties().stream()
                    .allMatch(label -> label.getValue().asText().equals(labels.get(label.getKey())));
            if (spec.has("selector") && !matches) {
                JsonNode given = template.path("metadata").path("labels");
                Object shown = given.isMissingNode() ? NullNode.getInstance() : given;
                String why = "`selector` does not match template `labels`";
                causes.add(Cause.invalid("spec.template.metadata.labels", shown, why));
            }
        }
        if (type.is("apiextensions.k8s.io", "customresourcedefinitions")) {
            causes.addAll(CustomTypes.judge(object));
        }
        return causes;
    }

    /** What a Scale is made of (apiextensions-apiserver, registry/customresource/validator.go). */
    private static void scale(Scale scale, ObjectNode object, List<Cause> causes) {
        for (String path : List.of(scale.specReplicas(), scale.statusReplicas())) {
            JsonNode replicas = nested(object, path);
            String wrong = "";
            if (!replicas.isMissingNode() && !replicas.isIntegralNumber()) {
                wrong = "is of another type, expected int64";
            } else if (replicas.asLong() < 0) {
                wrong = "should be a non-negative integer";
            } else if (replicas.asLong() > Integer.MAX_VALUE) {
                wrong = "should be less than or equal to " + Integer.MAX_VALUE;
            }
            if (!wrong.isEmpty()) {
                causes.add(Cause.invalid(path, replicas, wrong));
            }
        }
        JsonNode selector = scale.selector().isEmpty() ? MissingNode.getInstance() : nested(object, scale.selector());
        if (!selector.isMissingNode() && !selector.isTextual()) {
            causes.add(Cause.invalid(scale.selector(), selector, "is of another type, expected string"));
        }
    }

    /** What stands at a path; null where something without fields is in the way. */
    private static JsonNode nested(ObjectNode object, String path) {
        JsonNode value = object;
        for (String step : path.substring(1).split("\\.", -1)) {
            if (!value.isMissingNode() && !value.isObject()) {
                return NullNode.getInstance();
            }
            value = value.path(step);
        }
        return value;
    }

    /** What an update may not change. */
    static List<Cause> judgeUpdate(ResourceType type, ObjectNode before, ObjectNode after) {
        List<Cause> causes = BuiltInRules.judgeUpdate(type.groupResource(), before, after);
        for (String path : type.immutable()) {
            boolean open = type.is("batch", "jobs") && JobRules.mayChange(before, path);
            if (!open && !Json.at(before, path).equals(Json.at(after, path))) {
                causes.add(Cause.invalid(path, Json.at(after, path), "field is immutable"));
            }
        }
        if ((type.is("", "configmaps") || type.is("", "secrets"))
                && before.path("immutable").asBoolean()) {
            for (String field : List.of("immutable", "data", "binaryData")) {
                if (!Objects.equals(before.get(field), after.get(field))) {
                    causes.add(Cause.forbidden(field, "field is immutable when `immutable` is set"));
                }
            }
        }
        return causes;
    }
}
