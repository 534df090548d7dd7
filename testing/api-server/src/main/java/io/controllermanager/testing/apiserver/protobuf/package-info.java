/**
 * Objects in protobuf, as Go's typed clients and kubectl send them, turned into the JSON that the rest of the server reads.
 * Field numbers and JSON names come from Kubernetes' Go types, by way of a table that {@code
 * testing/api-server-tests/client-go/protobuf} makes.
 */
@NullMarked
package io.controllermanager.testing.apiserver.protobuf;

import org.jspecify.annotations.NullMarked;
