/**
 * What an informer holds: the store with its indexes, own writes that are laid over it until the watch brings them, and
 * the door that whatever changes it goes through.
 */
@NullMarked
package io.controllermanager.informer.internal.store;

import org.jspecify.annotations.NullMarked;
