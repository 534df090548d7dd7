package io.controllermanager.app.support;

import io.controllermanager.testing.controlplane.junit.RealControlPlane;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * One control plane for all test classes of this module that carry the annotation and run in the same JVM. Each works in
 * namespaces of its own and names what is in no namespace after them; CRDs are the same for all.
 *
 * <p>Whoever makes an object that blocks its owner's deletion must be allowed to set that one's finalizers, as in OpenShift.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@RealControlPlane(apiServerFlags = "enable-admission-plugins=OwnerReferencesPermissionEnforcement")
public @interface SharedControlPlane {}
