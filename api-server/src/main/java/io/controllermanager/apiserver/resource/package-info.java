/** Which resources there are, built in or taken from CRDs, and the discovery and OpenAPI documents that tell of them. */
@NullMarked
package io.controllermanager.apiserver.resource;

import org.jspecify.annotations.NullMarked;
