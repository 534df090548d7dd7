package io.controllermanager.informer.internal.reflector;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Replaces equal strings by one and the same. Labels, namespaces and the kinds of owners are a few strings in many
 * thousands of objects, and each object is decoded with its own.
 *
 * <p>A table of fixed size, in which a string displaces another of the same slot: what repeats often is there nearly
 * always, and what does not costs no memory for long. Safe for use by several threads.
 */
public final class SharedStrings {

    private static final int SLOTS = 1 << 13;

    /** Longer ones are rarely alike: a label's value has 63 characters at most. */
    private static final int LONGEST = 128;

    private final AtomicReferenceArray<@Nullable String> table = new AtomicReferenceArray<>(SLOTS);

    /** An equal string. */
    public String share(String string) {
        if (string.length() > LONGEST) {
            return string;
        }
        int hash = string.hashCode();
        int slot = (hash ^ (hash >>> 16)) & (SLOTS - 1);
        String known = table.getPlain(slot);
        if (string.equals(known)) {
            return known;
        }
        table.setRelease(slot, string);
        return string;
    }

    private @Nullable String shareIfThere(@Nullable String string) {
        return string == null ? null : share(string);
    }

    /** Replaces the strings of an object's metadata that others are likely to have as well. */
    public void share(V1ObjectMeta metadata) {
        metadata.setNamespace(shareIfThere(metadata.getNamespace()));
        metadata.setGenerateName(shareIfThere(metadata.getGenerateName()));
        Map<String, String> labels = metadata.getLabels();
        if (labels != null && !labels.isEmpty()) {
            Map<String, String> compact = compact(labels);
            compact.replaceAll((key, value) -> shareIfThere(value));
            metadata.setLabels(compact);
        }
        Map<String, String> annotations = metadata.getAnnotations();
        if (annotations != null && !annotations.isEmpty()) {
            metadata.setAnnotations(compact(annotations));
        }
        List<String> finalizers = metadata.getFinalizers();
        if (finalizers != null && !finalizers.isEmpty()) {
            List<String> shared = new ArrayList<>(finalizers);
            shared.replaceAll(this::share);
            metadata.setFinalizers(shared);
        }
        List<V1OwnerReference> owners = metadata.getOwnerReferences();
        if (owners != null) {
            owners.forEach(this::share);
        }
    }

    private void share(V1OwnerReference owner) {
        owner.setApiVersion(shareIfThere(owner.getApiVersion()));
        owner.setKind(shareIfThere(owner.getKind()));
        owner.setName(shareIfThere(owner.getName()));
        owner.setUid(shareIfThere(owner.getUid()));
    }

    /** The map itself if it is a plain one with shared keys, as this project's own JSON reader makes them. */
    private Map<String, String> compact(Map<String, String> map) {
        if (map.getClass() == LinkedHashMap.class && hasSharedKeys(map)) {
            return map;
        }
        Map<String, String> compact = new LinkedHashMap<>(Math.max(2, (map.size() * 4 + 2) / 3));
        map.forEach((key, value) -> compact.put(share(key), value));
        return compact;
    }

    @SuppressWarnings("ReferenceEquality") // the same string is what it is about
    private boolean hasSharedKeys(Map<String, String> map) {
        for (String key : map.keySet()) {
            if (share(key) != key) {
                return false;
            }
        }
        return true;
    }
}
