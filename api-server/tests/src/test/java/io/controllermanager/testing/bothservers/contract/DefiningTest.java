package io.controllermanager.testing.bothservers.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A case that makes a CRD of a group of its own. A real API server holds back the first object of a new CRD for two
 * seconds, so that all others may learn of it: the cases of one class wait for that side by side. They keep to their group
 * and namespace, and leave history alone.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Test
@Execution(ExecutionMode.CONCURRENT)
@interface DefiningTest {}
