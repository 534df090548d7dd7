package io.controllermanager.network;

import org.jspecify.annotations.Nullable;

/**
 * What is wanted of a Network.
 *
 * @param cidr the address range, such as {@code 192.168.0.0/16} or {@code fd00:1::/64}
 * @param gateway the gateway's address within the range; the first usable address if it is not given
 */
public record NetworkSpec(@Nullable String cidr, @Nullable String gateway) {}
