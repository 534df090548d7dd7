/**
 * A CRD's rules ({@code x-kubernetes-validations}): Google's CEL compiles them against the types that the schema
 * declares, and evaluates them with the functions that Kubernetes adds. Nothing here is loaded before a CRD has rules.
 */
@NullMarked
package io.controllermanager.apiserver.cel;

import org.jspecify.annotations.NullMarked;
