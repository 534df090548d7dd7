package io.controllermanager.manager.internal;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How one shard of a controller is at one moment, as one process sees it.
 *
 * @param shard its number, from 0
 * @param lease {@code namespace/name} of its Lease
 * @param holder the identity that holds the Lease as far as this process knows, null if none
 * @param leading whether this process provably holds it
 * @param state what this process does with it
 * @param detail what it waits for, null if there is nothing to say
 * @param objects how many of its objects of the type that the controller is for are held here; 0 where the cache of that type
 *     is not divided
 * @param since since when this process holds the Lease, null if it does not
 * @param moves how often this process has begun to work on it
 * @param transitions the Lease's count of changes of holder
 */
public record ShardStatus(
        int shard,
        String lease,
        @Nullable String holder,
        boolean leading,
        ShardState state,
        @Nullable String detail,
        int objects,
        @Nullable Instant since,
        long moves,
        int transitions) {}
