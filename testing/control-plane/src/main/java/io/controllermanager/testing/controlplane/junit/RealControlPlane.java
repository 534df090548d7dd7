package io.controllermanager.testing.controlplane.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Lets the methods and the constructor of a test class take these parameters:
 *
 * <ul>
 *   <li>{@link io.controllermanager.testing.controlplane.ControlPlane}, started when first asked for. Classes whose
 *       annotations say the same share one, which ends with the test run; such tests keep out of each other's way by
 *       working in namespaces of their own. Where nothing is said, it is the {@link SharedControlPlane}.
 *   <li>{@link FreshNamespace}, a namespace of that plane, made for this one test.
 * </ul>
 *
 * <p>Such a class has the tag {@code control-plane}, by which a build can leave it out: the first start builds the programs.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ControlPlaneExtension.class)
@Tag("control-plane")
public @interface RealControlPlane {

    /** Whether kube-controller-manager runs, with all its controllers. Such a class belongs to the tier {@code system}. */
    boolean controllerManager() default false;

    /** Whether kube-scheduler runs. */
    boolean scheduler() default false;

    /** How many nodes kwok plays. */
    int kwokNodes() default 0;

    /**
     * Whether the class has a plane for itself, which ends with it: for tests that kill, pause or reconfigure it. Such a
     * plane has no housekeeper.
     */
    boolean dedicated() default false;
}
