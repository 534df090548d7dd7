/**
 * The queue between events and workers, with the semantics of client-go{@code 's util/workqueue}: a key
 * is queued once however often it is added, is never with two workers at once, and is queued again
 * when it was added while being processed. Delays and retries with backoff are part of it.
 * For the host; it may change with every version.
 */
@NullMarked
package io.controllermanager.workqueue.internal;

import org.jspecify.annotations.NullMarked;
