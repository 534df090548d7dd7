package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.StatusException.Cause;
import io.controllermanager.testing.apiserver.json.Meta;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** What names, labels and other metadata may be (apimachinery, api/validation/objectmeta.go). */
final class MetadataRules {

    private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    private static final String SUBDOMAIN = LABEL + "(\\." + LABEL + ")*";
    private static final Pattern IS_LABEL = Pattern.compile(LABEL);
    private static final Pattern IS_SUBDOMAIN = Pattern.compile(SUBDOMAIN);
    private static final String VALUE = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
    private static final Pattern IS_VALUE = Pattern.compile(VALUE);
    private static final Pattern IS_KEY =
            Pattern.compile("(" + SUBDOMAIN + "/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
    private static final List<String> SET_BY_SERVER = List.of("uid", "creationTimestamp");

    private MetadataRules() {}

    static List<Cause> judge(ResourceType type, ObjectNode object) {
        List<Cause> causes = new ArrayList<>();
        name(type, Meta.name(object), causes);
        labels("metadata.labels", Meta.labels(object), causes);
        for (String finalizer : Meta.finalizers(object)) {
            if (!IS_KEY.matcher(finalizer).matches()) {
                causes.add(
                        invalid("metadata.finalizers", finalizer, "name part must consist of alphanumeric characters"));
            }
        }
        owners(object, causes);
        return causes;
    }

    /** What is wrong with the labels in this field. */
    static void labels(String field, Map<String, String> labels, List<Cause> causes) {
        labels.forEach((key, value) -> {
            if (!IS_KEY.matcher(key).matches()) {
                causes.add(invalid(
                        field,
                        key,
                        "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with"
                                + " an alphanumeric character"));
            }
            if (!IS_VALUE.matcher(value).matches()) {
                causes.add(invalid(
                        field,
                        value,
                        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.',"
                                + " and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',"
                                + "  or '12345', regex used for validation is '" + VALUE + "')"));
            } else if (value.length() > 63) {
                causes.add(new Cause(
                        "FieldValueInvalid", "Invalid value: \"" + value + "\": must be no more than 63 bytes", field));
            }
        });
    }

    private static void name(ResourceType type, String name, List<Cause> causes) {
        if (name.isEmpty()) {
            causes.add(new Cause(
                    "FieldValueRequired", "Required value: name or generateName is required", "metadata.name"));
        } else if (type.group().equals("rbac.authorization.k8s.io")) {
            if (name.contains("/") || name.contains("%")) {
                causes.add(invalid("metadata.name", name, "may not contain '/' or '%'"));
            }
        } else if (type.is("", "namespaces") || type.is("", "services")) {
            if (!IS_LABEL.matcher(name).matches() || name.length() > 63) {
                causes.add(invalid(
                        "metadata.name",
                        name,
                        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must"
                                + " start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex"
                                + " used for validation is '" + LABEL + "')"));
            }
        } else if (!IS_SUBDOMAIN.matcher(name).matches()) {
            causes.add(invalid(
                    "metadata.name",
                    name,
                    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and"
                            + " must start and end with an alphanumeric character (e.g. 'example.com', regex used for"
                            + " validation is '" + SUBDOMAIN + "')"));
        } else if (name.length() > 253) {
            causes.add(invalid("metadata.name", name, "must be no more than 253 characters"));
        }
    }

    private static void owners(ObjectNode object, List<Cause> causes) {
        int controllers = 0;
        List<JsonNode> owners = Meta.ownerReferences(object);
        for (int i = 0; i < owners.size(); i++) {
            String path = "metadata.ownerReferences[" + i + "]";
            for (String field : List.of("apiVersion", "kind", "name", "uid")) {
                if (owners.get(i).path(field).asText("").isEmpty()) {
                    causes.add(invalid(path + "." + field, "", field + " must not be empty"));
                }
            }
            controllers += owners.get(i).path("controller").asBoolean() ? 1 : 0;
        }
        if (controllers > 1) {
            causes.add(invalid(
                    "metadata.ownerReferences",
                    owners.toString(),
                    "Only one reference can have Controller set to true. Found \"true\" in references"));
        }
    }

    /** What an update may not change of the metadata. */
    static List<Cause> judgeUpdate(ObjectNode before, ObjectNode after) {
        List<Cause> causes = new ArrayList<>();
        for (String field : SET_BY_SERVER) {
            if (!Meta.text(before, field).equals(Meta.text(after, field))) {
                causes.add(invalid("metadata." + field, Meta.text(after, field), "field is immutable"));
            }
        }
        if (Meta.isBeingDeleted(before)) {
            List<String> added = new ArrayList<>(Meta.finalizers(after));
            added.removeAll(Meta.finalizers(before));
            if (!added.isEmpty()) {
                causes.add(new Cause(
                        "FieldValueForbidden",
                        "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
                                + added,
                        "metadata.finalizers"));
            }
        }
        return causes;
    }

    static Cause invalid(String field, String value, String why) {
        return new Cause("FieldValueInvalid", "Invalid value: \"" + value + "\": " + why, field);
    }
}
