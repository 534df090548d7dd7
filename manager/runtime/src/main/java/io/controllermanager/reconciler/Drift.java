package io.controllermanager.reconciler;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.controllermanager.client.internal.json.MergeDiff;
import io.controllermanager.client.internal.json.QuantityAdapter;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * In which of the wanted fields an object differs. What else the object has is not looked at: defaults, status, and what
 * others have set.
 *
 * <p>The API server stores some values otherwise than they were sent. An empty string, list or map counts as one that is not
 * there, and quantities are compared by what they amount to. In case of doubt there is a difference: an apply that changes
 * nothing does no harm, one that is left out does. Elements of a list are compared in their order. Others may have put
 * elements of their own only into lists that Kubernetes' own types merge by key ({@code x-kubernetes-list-type}), and into
 * finalizers and owners.
 *
 * <p>Whose a field is, only {@code managedFields} say, and no cache holds those. So one change by others goes unnoticed: a
 * field that they add within an element of a list, or within a map, that is to be taken as a whole.
 */
final class Drift {

    /** Lists that the API server merges by key, in all of Kubernetes' own types that have a field of this name. */
    private static final Set<String> MERGED_LISTS = Set.of(
            "containers",
            "initContainers",
            "volumes",
            "volumeMounts",
            "volumeDevices",
            "env",
            "ports",
            "imagePullSecrets",
            "hostAliases",
            "resizePolicy",
            "resourceClaims",
            "secrets",
            "topologySpreadConstraints");

    private static final Set<String> MERGED_METADATA = Set.of("ownerReferences", "finalizers");

    /** Fields of Kubernetes' own types whose values are quantities, or maps of them. */
    private static final Set<String> QUANTITIES = Set.of(
            "limits",
            "requests",
            "capacity",
            "hard",
            "overhead",
            "max",
            "min",
            "default",
            "defaultRequest",
            "sizeLimit",
            "divisor",
            "averageValue");

    /** Fields of Kubernetes' own types that are not stored where they are false or zero. */
    private static final Set<String> OMITTED_ZEROS = Set.of(
            "hostNetwork",
            "hostPID",
            "hostIPC",
            "readOnly",
            "stdin",
            "stdinOnce",
            "tty",
            "paused",
            "publishNotReadyAddresses",
            "initialDelaySeconds",
            "minReadySeconds");

    private final boolean builtIn;
    private final Map<String, String> differences = new TreeMap<>();

    private Drift(boolean builtIn) {
        this.builtIn = builtIn;
    }

    /**
     * Compares an object with what is wanted of it.
     *
     * @param builtIn whether its type is one of Kubernetes' own
     * @return by the path of each wanted field that is not as wanted, what is there instead; empty if nothing differs
     */
    static Map<String, String> between(JsonObject wanted, JsonObject present, boolean builtIn) {
        Drift drift = new Drift(builtIn);
        drift.compare("", "", wanted, present);
        return drift.differences;
    }

    /** With the field's name and that of the nearest one above that is no element. */
    private void compare(String path, String field, JsonElement wanted, @Nullable JsonElement present) {
        if ((isAbsent(wanted) && isAbsent(present)) || isOmittedZero(path, field, wanted, present)) {
            return;
        }
        if (wanted instanceof JsonObject object && present instanceof JsonObject there) {
            for (Map.Entry<String, JsonElement> entry : object.entrySet()) {
                String name = entry.getKey();
                String kept = isQuantity(path, field) ? field : name;
                compare(path + "." + name, kept, entry.getValue(), there.get(name));
            }
        } else if (wanted instanceof JsonArray list && present instanceof JsonArray there) {
            compareLists(path, field, list, there);
        } else if (!isSame(path, field, wanted, present)) {
            differences.put(path, String.valueOf(present));
        }
    }

    private void compareLists(String path, String field, JsonArray wanted, JsonArray present) {
        if (isMerged(path, field)) {
            int at = 0;
            for (int i = 0; i < wanted.size(); i++) {
                while (at < present.size() && !contains(path, field, wanted.get(i), present.get(at))) {
                    at++;
                }
                if (at++ >= present.size()) {
                    differences.put(path, present.toString());
                    return;
                }
            }
        } else if (wanted.size() != present.size()) {
            differences.put(path, present.toString());
        } else {
            for (int i = 0; i < wanted.size(); i++) {
                compare(path + "[" + i + "]", field, wanted.get(i), present.get(i));
            }
        }
    }

    private boolean contains(String path, String field, JsonElement wanted, JsonElement present) {
        Drift element = new Drift(builtIn);
        element.compare(path + "[]", field, wanted, present);
        return element.differences.isEmpty();
    }

    private boolean isMerged(String path, String field) {
        return path.equals(".metadata." + field)
                ? MERGED_METADATA.contains(field)
                : builtIn && MERGED_LISTS.contains(field) && !isListOfPorts(path, field);
    }

    /** Those of NetworkPolicies, EndpointSlices and Endpoints are a list as a whole. */
    private static boolean isListOfPorts(String path, String field) {
        return field.equals("ports") && path.matches("(.*\\.(in|e)gress\\[\\d*]|\\.subsets\\[\\d*])?\\.ports");
    }

    /** The keys of a ConfigMap or a Secret are no fields. */
    private static boolean isData(String path) {
        return path.startsWith(".data") || path.startsWith(".binaryData") || path.startsWith(".stringData");
    }

    /** Whether a field of one of Kubernetes' own types has the value that the API server leaves out. */
    private boolean isOmittedZero(String path, String field, JsonElement wanted, @Nullable JsonElement present) {
        return builtIn
                && isAbsent(present)
                && !isData(path)
                && OMITTED_ZEROS.contains(field)
                && wanted instanceof JsonPrimitive value
                && (value.getAsString().equals("false") || value.getAsString().equals("0"));
    }

    private boolean isSame(String path, String field, JsonElement wanted, @Nullable JsonElement present) {
        return wanted instanceof JsonPrimitive one
                && present instanceof JsonPrimitive other
                && (MergeDiff.areSame(one, other)
                        || (isQuantity(path, field) && isSameQuantity(path.endsWith("." + field), one, other)));
    }

    private boolean isQuantity(String path, String field) {
        return builtIn && QUANTITIES.contains(field) && !path.startsWith(".metadata") && !isData(path);
    }

    /** One of its own, or one of a list of resources, which the API server rounds (core/v1's {@code SetDefaults_ResourceList}). */
    private static boolean isSameQuantity(boolean ofItsOwn, JsonPrimitive one, JsonPrimitive other) {
        try {
            return QuantityAdapter.areSame(one.getAsString(), other.getAsString(), ofItsOwn ? 9 : 3);
        } catch (RuntimeException notQuantities) {
            return false;
        }
    }

    private static boolean isAbsent(@Nullable JsonElement element) {
        return element == null
                || element instanceof JsonNull
                || (element instanceof JsonObject object && object.isEmpty())
                || (element instanceof JsonArray list && list.isEmpty())
                || (element instanceof JsonPrimitive primitive
                        && primitive.isString()
                        && primitive.getAsString().isEmpty());
    }
}
