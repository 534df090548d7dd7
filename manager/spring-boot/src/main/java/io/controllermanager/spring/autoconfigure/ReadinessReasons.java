package io.controllermanager.spring.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

/** Why the process is not ready, as something beside the host sees it; empty if it is. A bean counts in the readiness probe. */
@FunctionalInterface
public interface ReadinessReasons extends Supplier<List<String>> {}
