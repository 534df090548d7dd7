package io.controllermanager.maven;

import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.TypedController;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.objenesis.ObjenesisStd;

/**
 * The rights of controllers, from reconcilers with {@code @Reconciles}, each in the file {@code <controller>.yaml}. A reconciler
 * is asked what it describes without its constructor having run: what that needs is not there when the module is built.
 */
final class RightsGenerator implements Generator {

    @Override
    public Map<String, String> generate(CompiledModule module) {
        Map<String, String> files = new TreeMap<>();
        for (Class<?> type : AnnotatedClasses.in(module, Reconciles.class)) {
            ControllerDescriptor controller = describe(type);
            String other = files.put(controller.name() + ".yaml", RightsText.of(controller, type));
            if (other != null) {
                throw new IllegalArgumentException(
                        type.getName() + ": another reconciler is called \"" + controller.name() + "\" too");
            }
        }
        return files;
    }

    private static ControllerDescriptor describe(Class<?> type) {
        if (!ObjectReconciler.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException(type.getName() + " has @Reconciles but is no ObjectReconciler");
        }
        Object reconciler = new ObjenesisStd().newInstance(type);
        return describing(type, () -> TypedController.descriptor((ObjectReconciler<?>) reconciler));
    }

    /**
     * What an object says that has not been constructed.
     *
     * @throws IllegalArgumentException if it fails; the message names its class
     */
    static <D> D describing(Class<?> type, Supplier<D> description) {
        try {
            return description.get();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(type.getName() + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    type.getName()
                            + ": describe() is called without the constructor, so it may use constants and what it is"
                            + " given, but no fields: " + e,
                    e);
        }
    }
}
