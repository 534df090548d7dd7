package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What shows on a child which controller made it for which owner: the annotation {@code applied.controller-manager/<controller>},
 * and on one without owner reference a label by which it is found. The annotation names the child as well, so that a copy of a
 * child under another name is none.
 *
 * @param controller the controller's name
 * @param ownerType the owner's type
 * @param labels those that all children of the controller have
 */
record ChildLink(String controller, ResourceType<?> ownerType, Map<String, String> labels) {

    /** In place of the hash on a child that was created and is not kept as it was. */
    static final String CREATED = "-";

    private static final String ANNOTATION_DOMAIN = "applied.controller-manager/";
    private static final String LABEL_DOMAIN = "owner.controller-manager/";

    /**
     * What the annotation says.
     *
     * @param hash of what was applied last
     * @param owner its kind, group, namespace and name; empty if a former version of this project wrote the annotation
     * @param child the child's namespace and name
     * @param ownerUid the owner's uid, on children that outlive their owner; else empty
     */
    private record Mark(String hash, String owner, String child, String ownerUid) {

        static Mark of(String value) {
            String[] words = value.split(" ", 4);
            return new Mark(
                    words[0],
                    words.length > 1 ? words[1] : "",
                    words.length > 2 ? words[2] : "",
                    words.length > 3 ? words[3] : "");
        }
    }

    String annotation() {
        return ANNOTATION_DOMAIN + controller;
    }

    /** The annotation's value, for a child of that name. */
    String value(String hash, KubernetesObject owner, @Nullable String namespace, String name, ChildRules.End end) {
        String value = hash + " " + shown(owner) + " " + Keys.shown(namespace, name);
        return end == ChildRules.End.RETAINED
                ? value + " " + owner.getMetadata().getUid()
                : value;
    }

    /** What a child of the owner is labelled with, besides its own labels. */
    Map<String, String> labelsOf(KubernetesObject owner, ChildRules<?> rules) {
        if (!rules.linked(ownerType)) {
            return labels;
        }
        Map<String, String> all = new HashMap<>(labels);
        all.put(LABEL_DOMAIN + controller, labelValue(owner));
        return all;
    }

    /** By the label, for the index of an informer that controllers share. */
    static <C extends KubernetesObject> List<String> linkedTo(C object) {
        return labelsOf(object).entrySet().stream()
                .filter(label -> label.getKey().startsWith(LABEL_DOMAIN))
                .map(label -> label.getKey() + "=" + label.getValue())
                .toList();
    }

    /** Under what that index has the owner's children. */
    String indexed(KubernetesObject owner) {
        return LABEL_DOMAIN + controller + "=" + labelValue(owner);
    }

    /** A hash, since what it stands for may be longer than a label. */
    private String labelValue(KubernetesObject owner) {
        return DesiredState.hash(shown(owner));
    }

    /** Whether the object was applied by this controller, rather than created, whoever its owner is. */
    boolean applied(KubernetesObject object) {
        Mark mark = mark(object);
        return mark != null && !mark.hash().equals(CREATED);
    }

    /** Whether the object says of itself that it was made for the owner, or for one that had its name before. */
    boolean names(KubernetesObject owner, KubernetesObject object) {
        Mark mark = mark(object);
        return mark != null && mark.owner().equals(shown(owner)) && mark.child().equals(Keys.shown(Keys.of(object)));
    }

    /** Whether the object, which outlives its owner, was made for this one and not for one that had its name before. */
    boolean namesUid(KubernetesObject owner, KubernetesObject object) {
        Mark mark = mark(object);
        return mark != null && mark.ownerUid().equals(owner.getMetadata().getUid());
    }

    /** Whether the object has the labels that all children of the controller have. */
    boolean hasLabels(KubernetesObject object) {
        return labelsOf(object).entrySet().containsAll(labels.entrySet());
    }

    /** The annotation's value for an object that becomes the owner's, and may have been another's. */
    String valueOnAdoption(KubernetesObject owner, KubernetesObject object, ChildRules.End end) {
        Mark mark = mark(object);
        V1ObjectMeta metadata = object.getMetadata();
        return value(mark == null ? CREATED : mark.hash(), owner, metadata.getNamespace(), metadata.getName(), end);
    }

    /** The key of the owner that the object names, null if it names none of the type. */
    @Nullable
    Request ownerOf(KubernetesObject object) {
        Mark mark = mark(object);
        String prefix = ownerType.qualifiedKind() + "/";
        return mark != null && mark.owner().startsWith(prefix)
                ? Keys.parse(mark.owner().substring(prefix.length()))
                : null;
    }

    /** The owner that an object names, for a message. */
    @Nullable
    String shownOwnerOf(KubernetesObject object) {
        Mark mark = mark(object);
        return mark == null || mark.owner().isEmpty() ? null : mark.owner();
    }

    private @Nullable Mark mark(KubernetesObject object) {
        V1ObjectMeta metadata = object.getMetadata();
        String value = metadata.getAnnotations() == null
                ? null
                : metadata.getAnnotations().get(annotation());
        return value == null ? null : Mark.of(value);
    }

    private String shown(KubernetesObject owner) {
        return ownerType.qualifiedKind() + "/" + Keys.shown(Keys.of(owner));
    }

    private static Map<String, String> labelsOf(KubernetesObject object) {
        return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.of());
    }
}
