/** Label, field and shard selectors of lists, watches and collection deletes. */
@NullMarked
package io.controllermanager.apiserver.selector;

import org.jspecify.annotations.NullMarked;
