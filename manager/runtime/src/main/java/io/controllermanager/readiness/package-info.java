/**
 * Whether something is ready, and why not: objects of any type by the rules of kstatus ({@code sigs.k8s.io/cli-utils}), which
 * kubectl-based tools go by. Decisions without state.
 */
@NullMarked
package io.controllermanager.readiness;

import org.jspecify.annotations.NullMarked;
