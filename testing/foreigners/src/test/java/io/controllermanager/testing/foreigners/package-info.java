/**
 * Clients and suites that nobody here wrote, on the embedded API server and on a real kube-apiserver side by side. What
 * differs stands in a record, {@code src/test/records}: what is not in it fails, and so does what is no longer true of it.
 */
@NullMarked
package io.controllermanager.testing.foreigners;

import org.jspecify.annotations.NullMarked;
