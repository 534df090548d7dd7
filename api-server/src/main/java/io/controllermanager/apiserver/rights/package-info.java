/**
 * What the controllers of an application say that they may do, for tests which let them do no more. It is for any API
 * server, the embedded one and a real one.
 */
@NullMarked
package io.controllermanager.apiserver.rights;

import org.jspecify.annotations.NullMarked;
