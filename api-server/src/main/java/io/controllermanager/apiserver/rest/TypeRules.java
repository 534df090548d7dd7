package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.cel.MatchConditions;
import io.controllermanager.apiserver.http.StatusException.Cause;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.json.Meta;
import io.controllermanager.apiserver.resource.CustomTypes;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.resource.Scale;
import io.controllermanager.apiserver.schema.Defaults;
import io.controllermanager.apiserver.schema.TypeCheck;
import io.controllermanager.apiserver.schema.UniqueItems;
import io.controllermanager.apiserver.validation.BuiltInRules;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What holds for objects of one type: defaults, and what is valid. */
final class TypeRules {

    /** Where built-in types have what a Pod has in its spec. */
    private static final List<String> POD_SPECS =
            List.of("spec", "template.spec", "spec.template.spec", "spec.jobTemplate.spec.template.spec");

    private TypeRules() {}

    static void setDefaults(ResourceType type, ObjectNode before, ObjectNode object, Supplier<String> now) {
        Defaults.apply(object, type.schema());
        switch (type.groupResource()) {
            case "secrets" -> encodeStrings(object);
            case "pods" -> {
                QualityOfService.set(object);
                if (object.path("spec").path("hostNetwork").asBoolean()) {
                    object.findValues("ports")
                            .forEach(ports -> ports.forEach(
                                    port -> ((ObjectNode) port).putIfAbsent("hostPort", port.path("containerPort"))));
                }
            }
            case "services" -> ServiceRules.carry(before, object);
            case "persistentvolumes" -> noteTransition(before, object, now);
            case "certificatesigningrequests.certificates.k8s.io" ->
                object.at("/status/conditions")
                        .forEach(condition -> List.of("lastUpdateTime", "lastTransitionTime")
                                .forEach(time -> ((ObjectNode) condition)
                                        .put(time, condition.path(time).asText(now.get()))));
            case "customresourcedefinitions.apiextensions.k8s.io" -> {
                ObjectNode names = Json.child(Json.child(object, "spec"), "names");
                String kind = names.path("kind").asText();
                names.putIfAbsent("listKind", Json.text(kind + "List"));
                names.putIfAbsent("singular", Json.text(kind.toLowerCase(Locale.ROOT)));
            }
            default -> {}
        }
        if (!type.isCustom()) {
            POD_SPECS.forEach(path -> setImplied(Json.at(object, path)));
        }
    }

    /** Notes when a volume's phase has changed, unless the client says it (persistentvolume/strategy.go). */
    private static void noteTransition(ObjectNode before, ObjectNode after, Supplier<String> now) {
        JsonNode was = before.at("/status/lastPhaseTransitionTime");
        JsonNode said = after.at("/status/lastPhaseTransitionTime");
        boolean moves = !before.at("/status/phase").equals(after.at("/status/phase"));
        JsonNode time = moves ? Json.text(now.get()) : was;
        if ((said.isMissingNode() || said.equals(was)) && !time.isMissingNode()) {
            Json.child(after, "status").set("lastPhaseTransitionTime", time);
        }
    }

    private static void encodeStrings(ObjectNode secret) {
        JsonNode strings = secret.remove("stringData");
        if (strings != null) {
            ObjectNode data = Json.child(secret, "data");
            for (Map.Entry<String, JsonNode> entry : strings.properties()) {
                byte[] text = entry.getValue().asText().getBytes(StandardCharsets.UTF_8);
                data.put(entry.getKey(), Base64.getEncoder().encodeToString(text));
            }
        }
    }

    private static void setImplied(JsonNode podSpec) {
        podSpec.path("volumes").forEach(volume -> {
            if (volume.size() == 1 && volume.has("name")) {
                ((ObjectNode) volume).putObject("emptyDir");
            }
        });
        for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
            podSpec.path(list).forEach(container -> {
                String image = container.path("image").asText();
                String tag = image.substring(image.lastIndexOf('/') + 1);
                String policy = !tag.contains(":") || tag.endsWith(":latest") ? "Always" : "IfNotPresent";
                ((ObjectNode) container).putIfAbsent("imagePullPolicy", Json.text(policy));
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
        ObjectNode told = Versions.judged(object, type);
        List<Cause> causes = BuiltInRules.judge(type.groupResource(), told);
        if (before == null) {
            causes.addAll(BuiltInRules.judge("new " + type.groupResource(), told));
        }
        Set<String> judged = causes.stream().map(Cause::field).collect(Collectors.toSet());
        TypeCheck.required(object, type.schema()).stream()
                // Of metadata the same is said for all types.
                .filter(cause -> !cause.field().startsWith("metadata.") && !judged.contains(cause.field()))
                .forEach(causes::add);
        if (type.is("apiextensions.k8s.io", "customresourcedefinitions")) {
            causes.addAll(CustomTypes.judge(object));
        }
        for (int i = 0; i < object.path("webhooks").size(); i++) {
            JsonNode conditions = object.path("webhooks").path(i).path("matchConditions");
            MatchConditions.judge("webhooks[" + i + "].matchConditions", conditions, causes);
        }
        return causes;
    }

    /** What a Scale is made of (apiextensions-apiserver, registry/customresource/validator.go). */
    private static void scale(Scale scale, ObjectNode object, List<Cause> causes) {
        for (String path : List.of(scale.specReplicas(), scale.statusReplicas())) {
            JsonNode replicas = nested(object, path);
            if (!replicas.isMissingNode() && !replicas.isIntegralNumber()) {
                causes.add(Cause.invalid(path, 0, notOf("int64", path, replicas)));
            } else if (replicas.asLong() < 0) {
                causes.add(Cause.invalid(path, replicas, "should be a non-negative integer"));
            } else if (replicas.asLong() > Integer.MAX_VALUE) {
                causes.add(Cause.invalid(path, replicas, "should be less than or equal to " + Integer.MAX_VALUE));
            }
        }
        JsonNode selector = scale.selector().isEmpty() ? MissingNode.getInstance() : nested(object, scale.selector());
        if (!selector.isMissingNode() && !selector.isTextual()) {
            causes.add(Cause.invalid(scale.selector(), "", notOf("string", scale.selector(), selector)));
        }
    }

    /** In the words of Go, which has a value's type. */
    private static String notOf(String expected, String path, JsonNode value) {
        String type = switch (value.getNodeType()) {
            case STRING -> "string";
            case BOOLEAN -> "bool";
            case NUMBER -> value.isIntegralNumber() ? "int64" : "float64";
            case ARRAY -> "[]interface {}";
            case OBJECT -> "map[string]interface {}";
            default -> "<nil>";
        };
        return path + " accessor error: " + value.asText() + " is of the type " + type + ", expected " + expected;
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
    static List<Cause> judgeUpdate(ResourceType type, ObjectNode from, ObjectNode to) {
        ObjectNode before = Versions.judged(from, type);
        ObjectNode after = Versions.judged(to, type);
        List<Cause> causes = BuiltInRules.judgeUpdate(type.groupResource(), before, after);
        for (String field : type.immutable()) {
            String[] parts = field.split("=", 2);
            String path = parts[0];
            boolean open = (type.group().isEmpty()
                            && path.matches("immutable|data|binaryData")
                            && !before.path("immutable").asBoolean())
                    || (type.is("batch", "jobs") && mayChange(before, path))
                    || (type.is("apiextensions.k8s.io", "customresourcedefinitions")
                            && Definitions.mayChange(before, path));
            JsonNode is = Json.at(after, path);
            if (!open && !Json.at(before, path).equals(is)) {
                String why = parts.length > 1 ? parts[1] : "field is immutable";
                causes.add(parts.length > 1 ? Cause.forbidden(path, why) : Cause.invalid(path, is, why));
            }
        }
        if (type.is("", "services")) {
            ServiceRules.judgeUpdate(before, after, causes);
        }
        return causes;
    }

    /** Whether an update is one that a generation counts. */
    static boolean specChanged(ResourceType type, ObjectNode before, ObjectNode after) {
        if (!type.isCustom() && after.has("spec")) {
            // A Deployment's annotations are what its ReplicaSets get.
            return !Objects.equals(before.get("spec"), after.get("spec"))
                    || (type.is("apps", "deployments")
                            && !before.at("/metadata/annotations").equals(after.at("/metadata/annotations")));
        }
        ObjectNode was = before.deepCopy();
        ObjectNode is = after.deepCopy();
        List<String> others =
                type.subresources().contains("status") ? List.of("metadata", "status") : List.of("metadata");
        was.remove(others);
        is.remove(others);
        boolean labelled = type.is("discovery.k8s.io", "endpointslices")
                && !Meta.labels(before).equals(Meta.labels(after));
        return labelled || (!was.equals(is) && !type.is("scheduling.k8s.io", "priorityclasses"));
    }

    /** Gives a new Job the labels by which it finds its Pods, unless it sees to that itself. */
    static void selectPods(ObjectNode job) {
        ObjectNode spec = Json.child(job, "spec");
        if (spec.path("manualSelector").asBoolean()) {
            return;
        }
        ObjectNode labels = Json.child(Meta.of(Json.child(spec, "template")), "labels");
        for (String prefix : List.of("", "batch.kubernetes.io/")) {
            labels.putIfAbsent(prefix + "job-name", Json.text(Meta.name(job)));
            labels.putIfAbsent(prefix + "controller-uid", Json.text(Meta.uid(job)));
        }
        ObjectNode selected = Json.child(Json.child(spec, "selector"), "matchLabels");
        selected.putIfAbsent("batch.kubernetes.io/controller-uid", Json.text(Meta.uid(job)));
    }

    /** Whether an immutable field may change all the same: Pods that are still to come, and how many of numbered ones. */
    private static boolean mayChange(ObjectNode before, String path) {
        boolean isToCome = Json.fits(before, "spec/suspend=true?!status/startTime");
        boolean isNumbered = Json.fits(before, "spec/completionMode=Indexed");
        return (path.equals("spec.template") && isToCome) || (path.equals("spec.completions") && isNumbered);
    }
}
