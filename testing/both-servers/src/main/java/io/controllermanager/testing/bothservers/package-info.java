/**
 * Runs a test class on the embedded API server and on a real kube-apiserver: annotate it with {@link
 * io.controllermanager.testing.bothservers.OnBothServers} and take a {@link
 * io.controllermanager.testing.bothservers.TestedServer} in its constructor. What passes on both may be trusted to the
 * fast one.
 */
@NullMarked
package io.controllermanager.testing.bothservers;

import org.jspecify.annotations.NullMarked;
