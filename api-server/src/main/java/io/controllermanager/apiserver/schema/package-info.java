/**
 * OpenAPI schemas, Kubernetes' own and those of CRDs alike, and what is done by them: unknown fields are found
 * and dropped, defaults set, objects judged.
 */
@NullMarked
package io.controllermanager.apiserver.schema;

import org.jspecify.annotations.NullMarked;
