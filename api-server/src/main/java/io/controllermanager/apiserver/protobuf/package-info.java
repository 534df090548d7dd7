/**
 * Objects in protobuf, as Go's typed clients and kubectl send them, turned into the JSON that the rest of the server reads;
 * and OpenAPI v2 in the protobuf in which kubectl and helm ask for it. Field numbers and JSON names of objects come from
 * Kubernetes' Go types, by way of a table that {@code api-server/tests/client-go/protobuf} makes.
 */
@NullMarked
package io.controllermanager.apiserver.protobuf;

import org.jspecify.annotations.NullMarked;
