package io.controllermanager.testing.controlplane.junit;

import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.Controllers;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** What stands behind {@link RealControlPlane}. The stores close the planes, for they are {@link AutoCloseable}. */
final class ControlPlaneExtension implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(ControlPlaneExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == ControlPlane.class || type == FreshNamespace.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ControlPlane plane = plane(context);
        if (parameter.getParameter().getType() == ControlPlane.class) {
            return plane;
        }
        // One for all parameters of a test: its set-up methods get the same as the test itself. A store answers for
        // its parents as well, hence the id.
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        List.of(FreshNamespace.class, context.getUniqueId()),
                        key -> new FreshNamespace(plane.createNamespace("test")),
                        FreshNamespace.class);
    }

    private static ControlPlane plane(ExtensionContext context) {
        ExtensionContext owner = annotated(context)
                .orElseThrow(() -> new ParameterResolutionException("No class here is annotated @RealControlPlane"));
        RealControlPlane wanted = annotation(owner).orElseThrow();
        if (wanted.equals(Plain.class.getAnnotation(RealControlPlane.class))) {
            return SharedControlPlane.of(context);
        }
        // An annotation equals another that says the same: it is the key under which planes are shared.
        Store store = (wanted.dedicated() ? owner : owner.getRoot()).getStore(NAMESPACE);
        return store.computeIfAbsent(wanted, ControlPlaneExtension::start, ControlPlane.class);
    }

    /** The innermost of nested classes that carries the annotation. */
    private static Optional<ExtensionContext> annotated(ExtensionContext context) {
        return Stream.iterate(Optional.of(context), Optional::isPresent, at -> at.flatMap(ExtensionContext::getParent))
                .flatMap(Optional::stream)
                // A method's context names the class too, but does not live as long.
                .filter(at -> at.getTestMethod().isEmpty() && annotation(at).isPresent())
                .findFirst();
    }

    private static Optional<RealControlPlane> annotation(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getTestClass(), RealControlPlane.class);
    }

    /** Carries the annotation that says nothing. */
    @RealControlPlane
    private static final class Plain {}

    private static ControlPlane start(RealControlPlane wanted) {
        return ControlPlane.builder()
                .controllers(wanted.controllerManager() ? Controllers.ALL : Controllers.NONE)
                .scheduler(wanted.scheduler())
                .kwokNodes(wanted.kwokNodes())
                .start();
    }
}
