/**
 * Events as people read them with {@code kubectl get events}: recorded without ever blocking or
 * failing a reconcile, written to the API server in the background, repeated ones folded into one.
 */
@NullMarked
package io.controllermanager.recorder;

import org.jspecify.annotations.NullMarked;
