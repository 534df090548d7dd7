package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.informer.Shards;
import io.controllermanager.manager.internal.ShardStatus;
import java.util.List;

/**
 * How the shards of a divided controller are, as this process sees them.
 *
 * @param count how many there are
 * @param shardBy what decides on a key's shard
 * @param held how many of their Leases this process holds
 * @param shards each of them, by their numbers
 */
public record DividedDescriptor(int count, Shards.By shardBy, int held, List<ShardStatus> shards) {

    /** With what is known of each shard. */
    public static DividedDescriptor of(Shards.By shardBy, List<ShardStatus> shards) {
        int held = (int) shards.stream().filter(ShardStatus::leading).count();
        return new DividedDescriptor(shards.size(), shardBy, held, List.copyOf(shards));
    }
}
