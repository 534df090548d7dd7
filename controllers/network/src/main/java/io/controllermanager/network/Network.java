package io.controllermanager.network;

import io.controllermanager.client.ResourceType;
import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.controllermanager.types.PrinterColumn;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

/**
 * Network is an address range that a namespace lays claim to.
 */
@CustomResource(
        group = "sample.k8s.io",
        version = "v1",
        shortNames = "net",
        // Groups under k8s.io are protected (KEP-2337).
        annotations = "api-approved.kubernetes.io=unapproved, experimental-only")
@PrinterColumn(name = "CIDR", description = "The address range", jsonPath = ".spec.cidr")
@PrinterColumn(name = "Gateway", description = "The gateway, given or derived", jsonPath = ".status.gateway")
@PrinterColumn(
        name = "Ready",
        description = "Whether the Network is valid and no other claims its addresses",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@PrinterColumn(
        name = "Reason",
        description = "Why it is ready or not",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason")
@PrinterColumn(
        name = "First",
        description = "The lowest usable address",
        priority = 1,
        jsonPath = ".status.usableRange.first")
@PrinterColumn(
        name = "Last",
        description = "The highest usable address",
        priority = 1,
        jsonPath = ".status.usableRange.last")
@PrinterColumn(
        name = "Capacity",
        description = "How many usable addresses there are",
        priority = 1,
        jsonPath = ".status.capacity")
public final class Network extends CustomObject<NetworkSpec, NetworkStatus> {

    /** How Networks are named in URLs. */
    public static final ResourceType<Network> TYPE = ResourceType.of(Network.class);

    /** A Network without anything, for Gson. */
    public Network() {}

    /** A Network without status. */
    public Network(V1ObjectMeta metadata, NetworkSpec spec) {
        setMetadata(metadata);
        setSpec(spec);
    }
}
