/** Watches: a resource's log, sent to a client as it grows. */
@NullMarked
package io.controllermanager.apiserver.watch;

import org.jspecify.annotations.NullMarked;
