package io.controllermanager.testing.apiserver.validation;

import static io.controllermanager.testing.apiserver.validation.Rule.DNS_LABEL;
import static io.controllermanager.testing.apiserver.validation.Rule.NOT_NEGATIVE;
import static java.util.Map.entry;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import java.util.List;
import java.util.Map;

/** The rules by their resource. */
public final class BuiltInRules {

    /** The Pods of a Job end. */
    private static final Rule RESTARTS_ON_FAILURE = (field, policy, findings) -> {
        if (policy.asText().equals("Always")) {
            findings.required(field, "valid values: \"OnFailure\", \"Never\"");
        } else if (!policy.asText().isEmpty()) {
            Rule.oneOf("OnFailure", "Never").judge(field, policy, findings);
        }
    };

    private static final Map<String, Rule> RULES = Map.ofEntries(
            entry("configmaps", CoreRules.CONFIG_MAP),
            entry("secrets", CoreRules.SECRET),
            entry("services", CoreRules.SERVICE),
            entry("persistentvolumeclaims", new Table().with("spec", CoreRules.CLAIM_SPEC)),
            entry(
                    "pods",
                    new Table()
                            .with(
                                    "spec",
                                    PodRules.SPEC,
                                    (field, spec, findings) ->
                                            PodRules.mounts(field, spec, MissingNode.getInstance(), findings))),
            entry("deployments.apps", workload("deployment").with("spec.strategy", BuiltInRules::strategy)),
            entry("replicasets.apps", workload("deployment")),
            entry("daemonsets.apps", workload("daemonset")),
            entry("jobs.batch", new Table().with("spec.template.spec.restartPolicy", RESTARTS_ON_FAILURE)),
            entry(
                    "cronjobs.batch",
                    new Table().with("spec.jobTemplate.spec.template.spec.restartPolicy", RESTARTS_ON_FAILURE)),
            entry(
                    "statefulsets.apps",
                    workload("statefulset")
                            .with("metadata.name", DNS_LABEL)
                            .with("spec.volumeClaimTemplates[].spec", CoreRules.CLAIM_SPEC)));

    /** Specs that no update may change but for a few fields and the images in them, and what is said then. */
    private static final Map<String, Frozen> FROZEN = Map.of(
            "persistentvolumeclaims",
            new Frozen(
                    List.of("resources", "volumeAttributesClassName", "volumeName"),
                    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound"
                            + " claims"),
            "pods",
            new Frozen(
                    List.of("activeDeadlineSeconds", "schedulingGates", "tolerations"),
                    "pod updates may not change fields other than `spec.containers[*].image`,"
                            + "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only"
                            + " additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be"
                            + " set to 1 if it was previously negative)"),
            "statefulsets.apps",
            new Frozen(
                    List.of(
                            "replicas",
                            "ordinals",
                            "template",
                            "updateStrategy",
                            "revisionHistoryLimit",
                            "persistentVolumeClaimRetentionPolicy",
                            "minReadySeconds"),
                    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
                            + " 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and"
                            + " 'minReadySeconds' are forbidden"));

    private record Frozen(List<String> free, String why) {

        JsonNode rest(JsonNode object) {
            JsonNode spec = object.path("spec").deepCopy();
            spec.findParents("image").forEach(parent -> ((ObjectNode) parent).remove("image"));
            if (spec instanceof ObjectNode fields) {
                fields.remove(free);
            }
            return spec;
        }
    }

    private BuiltInRules() {}

    /** For what makes Pods of a template (pkg/apis/apps/validation). */
    private static Table workload(String kind) {
        return new Table()
                .with("spec.replicas", NOT_NEGATIVE)
                .with("spec.minReadySeconds", NOT_NEGATIVE)
                .with("spec.selector", (field, selector, findings) -> {
                    if (selector.isObject() && selector.isEmpty()) {
                        findings.invalid(field, selector, "empty selector is invalid for " + kind);
                    }
                })
                .with("spec.template.spec", PodRules.SPEC)
                .with("spec.template.spec.restartPolicy", Rule.oneOf("Always"))
                .with(
                        "spec",
                        (field, spec, findings) -> PodRules.mounts(
                                "spec.template.spec",
                                spec.path("template").path("spec"),
                                spec.path("volumeClaimTemplates"),
                                findings));
    }

    private static void strategy(String field, JsonNode strategy, Findings findings) {
        if (strategy.path("type").asText().equals("Recreate") && strategy.has("rollingUpdate")) {
            findings.forbidden(field + ".rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
        }
    }

    /**
     * What is wrong with an object.
     *
     * @param resource {@code plural.group}
     */
    public static List<Cause> judge(String resource, ObjectNode object) {
        Findings findings = new Findings();
        Rule rule = RULES.get(resource);
        if (rule != null) {
            rule.judge("", object, findings);
        }
        return findings.causes;
    }

    /** What an update may not change. */
    public static List<Cause> judgeUpdate(String resource, ObjectNode before, ObjectNode after) {
        Findings findings = new Findings();
        Frozen frozen = FROZEN.get(resource);
        boolean grows = resource.equals("persistentvolumeclaims")
                && !after.at("/status/phase").asText().equals("Bound")
                && !after.at("/spec/resources").equals(before.at("/spec/resources"));
        if (frozen != null && (grows || !frozen.rest(before).equals(frozen.rest(after)))) {
            findings.forbidden("spec", frozen.why());
        }
        return findings.causes;
    }
}
