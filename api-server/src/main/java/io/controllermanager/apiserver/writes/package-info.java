/**
 * What has been written to the server, for tests: {@link io.controllermanager.apiserver.ApiServer#recordWrites}
 * records each change of an object, with who made it and the object before and after.
 */
@NullMarked
package io.controllermanager.apiserver.writes;

import org.jspecify.annotations.NullMarked;
