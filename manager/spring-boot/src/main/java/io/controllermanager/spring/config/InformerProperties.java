package io.controllermanager.spring.config;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The local copies of the API server's objects: everything below {@code controller-manager.informers}.
 *
 * @param disconnectTimeout How long an informer may be without an open watch before the process reports not ready. If 0, a
 *     missing watch never makes it unready.
 * @param readyWithoutRights Whether the replica may be ready while the API server forbids it to list or watch what its
 *     controllers need. Set it where some namespaces may not be read for long. What is missing is shown as a warning then.
 * @param watchListFirst Whether to fill caches by WatchList at the start, if the API server supports it. It brings the most
 *     recent state and takes less memory in the API server, but is slower than a list.
 * @param readOwnWrites Whether reads from informers show what this process has written at once, before the watch brings it.
 * @param detectMutations Whether to detect, log and count changes that code makes to objects in the caches. For development: it
 *     doubles the memory that caches take.
 * @param pageSize Number of objects in one page of a list. The API server ignores it when it answers from its watch cache.
 * @param dropManagedFields Whether to drop metadata.managedFields before an object is cached. Few controllers read it, and it
 *     is often half of the object.
 */
public record InformerProperties(
        @DefaultValue("2m") Duration disconnectTimeout,
        boolean readyWithoutRights,
        boolean watchListFirst,
        @DefaultValue("true") boolean readOwnWrites,
        boolean detectMutations,
        @DefaultValue("500") int pageSize,
        @DefaultValue("true") boolean dropManagedFields) {}
