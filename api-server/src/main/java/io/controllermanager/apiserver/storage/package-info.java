/**
 * What etcd and the watch cache are to the real server: the newest state of every object, and one ordered log of changes
 * for each resource under one server-wide version. A list at an older version is the present with the changes since then
 * undone; a watch is a position in the log.
 */
@NullMarked
package io.controllermanager.apiserver.storage;

import org.jspecify.annotations.NullMarked;
