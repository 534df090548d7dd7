/**
 * Reads {@code controller-manager.*}: properties with their descriptions, the list of controllers in
 * kube-controller-manager's spelling, durations in Go's spelling, and every mistake in them, collected so that all are
 * reported at once.
 */
@NullMarked
package io.controllermanager.spring.config;

import org.jspecify.annotations.NullMarked;
