/** Tests of the types that are served. */
@NullMarked
package io.controllermanager.apiserver.resource;

import org.jspecify.annotations.NullMarked;
