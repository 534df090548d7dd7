package io.controllermanager.reconciler;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Locale;

/**
 * Makes a controller of an {@link ObjectReconciler}. In a Spring application a bean with {@link Reconciles} needs none of
 * this.
 */
public final class TypedController {

    private TypedController() {}

    /**
     * The controller of a reconciler whose class has {@link Reconciles}.
     *
     * @throws IllegalArgumentException if it has not, or what it says is wrong
     */
    public static ControllerDescriptor descriptor(ObjectReconciler<?> reconciler) {
        Reconciles annotation = reconciler.getClass().getAnnotation(Reconciles.class);
        if (annotation == null) {
            throw new IllegalArgumentException(reconciler.getClass().getName() + " has no @Reconciles");
        }
        return descriptor(annotation, reconciler.getClass(), reconciler);
    }

    /**
     * As {@link #descriptor(ObjectReconciler)}, for a proxy, whose class does not have the annotation.
     *
     * @param reconcilerClass the class that the proxy stands for
     */
    @SuppressWarnings(
            "unchecked") // The annotation names the class that the reconciler is for; a wrong one fails at once.
    public static ControllerDescriptor descriptor(
            Reconciles annotation, Class<?> reconcilerClass, ObjectReconciler<?> reconciler) {
        Class<?> reconciled = DeclaredClass.ofReconciled(reconcilerClass);
        if (reconciled != null && !reconciled.isAssignableFrom(annotation.value())) {
            throw new IllegalArgumentException(
                    "@Reconciles names " + annotation.value().getName() + ", but "
                            + reconcilerClass.getName() + " is an ObjectReconciler<" + reconciled.getSimpleName()
                            + ">: name the same class in both");
        }
        ResourceType<KubernetesObject> type = (ResourceType<KubernetesObject>) typeOf(annotation.value());
        String name = annotation.name().isEmpty() ? type.kind().toLowerCase(Locale.ROOT) : annotation.name();
        return descriptor(name, type, (ObjectReconciler<KubernetesObject>) reconciler);
    }

    /** The controller of a reconciler, by any name and for any type. */
    public static <T extends KubernetesObject> ControllerDescriptor descriptor(
            String name, ResourceType<T> type, ObjectReconciler<T> reconciler) {
        ControllerDescription<T> description = new ControllerDescription<>(name, type, reconciler);
        reconciler.describe(description);
        return description.toDescriptor();
    }

    private static ResourceType<?> typeOf(Class<? extends KubernetesObject> objectClass) {
        if (objectClass.isAnnotationPresent(CustomResource.class)) {
            return ResourceType.of(objectClass);
        }
        ResourceType<?> builtIn = ResourceTypes.forClass(objectClass);
        if (builtIn == null) {
            throw new IllegalArgumentException("@Reconciles names " + objectClass.getName()
                    + ", which has no @CustomResource and is none of ResourceTypes: name its type in a descriptor, by"
                    + " TypedController.descriptor(name, type, reconciler)");
        }
        return builtIn;
    }
}
