package io.controllermanager.types;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object of a custom resource with a spec and a status. A subclass adds nothing but its name and {@link CustomResource}.
 * Its JSON is read and written by client-java's Gson. Not safe for changes by several threads; one that comes from an
 * informer is shared, and is copied before it is changed.
 *
 * @param <S> the spec, such as a record
 * @param <T> the status; {@code Void} where there is none
 */
public abstract class CustomObject<S extends @Nullable Object, T> implements KubernetesObject {

    private String apiVersion;
    private String kind;
    private V1ObjectMeta metadata = new V1ObjectMeta();
    private S spec;
    private @Nullable T status;

    /** An object without name, spec and status; Gson fills in what it reads. */
    @SuppressWarnings("NullAway") // The API server refuses an object without the spec that its CRD requires.
    protected CustomObject() {
        CustomResourceNames names = CustomResourceNames.of(getClass());
        apiVersion = names.apiVersion();
        kind = names.kind();
    }

    /** What is wanted; null only where the CRD does not require it. */
    public final S spec() {
        return spec;
    }

    /** What the controller found, null before its first reconcile. */
    public final @Nullable T status() {
        return status;
    }

    /** The namespace, null if the type's objects live in none. */
    public final @Nullable String namespace() {
        return metadata.getNamespace();
    }

    /** The name. */
    public final String name() {
        return Objects.requireNonNull(metadata.getName(), "metadata.name");
    }

    /** What tells it from all other objects, also from those that had its name before; the API server gives it. */
    public final String uid() {
        return Objects.requireNonNull(metadata.getUid(), "metadata.uid");
    }

    /** Sets what is wanted. */
    public final void setSpec(S newSpec) {
        this.spec = newSpec;
    }

    /** Sets what the controller found. */
    public final void setStatus(@Nullable T newStatus) {
        this.status = newStatus;
    }

    /** Sets name, namespace and the like. */
    public final void setMetadata(V1ObjectMeta newMetadata) {
        this.metadata = newMetadata;
    }

    @Override
    public final V1ObjectMeta getMetadata() {
        return metadata;
    }

    @Override
    public final String getApiVersion() {
        return apiVersion;
    }

    @Override
    public final String getKind() {
        return kind;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof CustomObject<?, ?> that
                && getClass() == that.getClass()
                && apiVersion.equals(that.apiVersion)
                && kind.equals(that.kind)
                && metadata.equals(that.metadata)
                && Objects.equals(spec, that.spec)
                && Objects.equals(status, that.status);
    }

    @Override
    public final int hashCode() {
        return Objects.hash(getClass(), metadata, spec, status);
    }

    @Override
    public final String toString() {
        return kind + " " + (namespace() == null ? "" : namespace() + "/") + metadata.getName();
    }
}
