package io.controllermanager.client;

import io.controllermanager.types.CustomResource;
import io.controllermanager.types.CustomResourceNames;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the objects of one type are named in the API server's URLs, and the class they are read into.
 *
 * @param <T> the class
 * @param objectClass the class that objects are read into
 * @param group the API group, empty for the core group
 * @param version the API version within the group, such as {@code v1}
 * @param kind the kind, such as {@code Deployment}
 * @param plural the name in URLs, such as {@code deployments}
 * @param scope whether objects live in a namespace
 */
public record ResourceType<T extends KubernetesObject>(
        Class<T> objectClass, String group, String version, String kind, String plural, Scope scope) {

    /** Whether the objects of a type live in a namespace. */
    public enum Scope {
        NAMESPACED,
        CLUSTER
    }

    public ResourceType {
        Objects.requireNonNull(objectClass, "objectClass");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(plural, "plural");
        Objects.requireNonNull(scope, "scope");
    }

    /** A type whose objects live in a namespace. */
    public static <T extends KubernetesObject> ResourceType<T> namespaced(
            Class<T> objectClass, String group, String version, String kind, String plural) {
        return new ResourceType<>(objectClass, group, version, kind, plural, Scope.NAMESPACED);
    }

    /** A type whose objects live in no namespace. */
    public static <T extends KubernetesObject> ResourceType<T> cluster(
            Class<T> objectClass, String group, String version, String kind, String plural) {
        return new ResourceType<>(objectClass, group, version, kind, plural, Scope.CLUSTER);
    }

    /**
     * The type of a class with {@link CustomResource}.
     *
     * @throws IllegalArgumentException if the class has none
     */
    public static <T extends KubernetesObject> ResourceType<T> of(Class<T> objectClass) {
        CustomResourceNames names = CustomResourceNames.of(objectClass);
        Scope scope = names.namespaced() ? Scope.NAMESPACED : Scope.CLUSTER;
        return new ResourceType<>(objectClass, names.group(), names.version(), names.kind(), names.plural(), scope);
    }

    /** {@code group/version}, or just the version for the core group: what objects carry as {@code apiVersion}. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /**
     * Whether an owner reference names an object of this type. The version does not matter, group and kind do, as in client-go's
     * {@code metav1.GetControllerOf}.
     */
    public boolean isTypeOf(V1OwnerReference owner) {
        String ownerVersion = owner.getApiVersion();
        int slash = ownerVersion == null ? -1 : ownerVersion.indexOf('/');
        String ownerGroup = ownerVersion == null || slash < 0 ? "" : ownerVersion.substring(0, slash);
        return kind.equals(owner.getKind()) && group.equals(ownerGroup);
    }

    /** The name that RBAC rules, CRDs and error messages use: {@code plural.group}, or just the plural in the core group. */
    public String qualifiedName() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    /** The kind with the group, as kubectl shows it: {@code Kind.group}, or just the kind in the core group. */
    public String qualifiedKind() {
        return group.isEmpty() ? kind : kind + "." + group;
    }

    /**
     * The path of the type's collection in the API server's URLs, without a trailing slash.
     *
     * @param namespace the namespace, null for the collection across all namespaces; ignored for a type whose objects
     *     live in none
     */
    public String path(@Nullable String namespace) {
        String parent = namespace == null || scope == Scope.CLUSTER ? "/" : "/namespaces/" + namespace + "/";
        return (group.isEmpty() ? "/api/" : "/apis/") + apiVersion() + parent + plural;
    }

    @Override
    public String toString() {
        return qualifiedName() + "/" + version;
    }
}
