package io.controllermanager.foo;

import io.controllermanager.event.ResourceEvent;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Who holds a Deployment. */
final class Ownership {

    private Ownership() {}

    /** Whether the Foo controls the Deployment; as in client-go's {@code metav1.IsControlledBy} the uid decides. */
    static boolean isControlledBy(V1Deployment deployment, Foo foo) {
        String uid = controllerUid(deployment);
        return uid != null && uid.equals(foo.metadata().getUid());
    }

    /** What makes the Foo the controller of an object. */
    static V1OwnerReference controllerReference(Foo foo) {
        return new V1OwnerReference()
                .apiVersion(Foo.TYPE.apiVersion())
                .kind(Foo.TYPE.kind())
                .name(foo.metadata().getName())
                .uid(foo.metadata().getUid())
                .controller(true)
                .blockOwnerDeletion(true);
    }

    /** Whether a Deployment's name has come into other hands, or may have. */
    static boolean mayHaveChanged(ResourceEvent<V1Deployment> event) {
        return !(event instanceof ResourceEvent.Updated<V1Deployment> updated)
                || !Objects.equals(controllerUid(updated.before()), controllerUid(updated.object()));
    }

    private static @Nullable String controllerUid(V1Deployment deployment) {
        List<V1OwnerReference> references = deployment.getMetadata().getOwnerReferences();
        if (references == null) {
            return null;
        }
        for (V1OwnerReference reference : references) {
            if (Boolean.TRUE.equals(reference.getController())) {
                return reference.getUid();
            }
        }
        return null;
    }
}
