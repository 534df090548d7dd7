package io.controllermanager.spring.config;

import java.time.Duration;

/** The local copies of the API server's objects: everything below {@code controller-manager.informers}. */
public class InformerProperties {

    /** How long an informer may be without an open watch before the process reports not ready. If 0, a missing watch never makes it unready. */
    private Duration disconnectTimeout = Duration.ofMinutes(2);

    /** Whether the replica may be ready while the API server forbids it to list or watch what its controllers need. Set it where some namespaces may not be read for long. What is missing is shown as a warning then. */
    private boolean readyWithoutRights;

    /** Whether to fill caches by WatchList at the start, if the API server supports it. It brings the most recent state and takes less memory in the API server, but is slower than a list. */
    private boolean watchListFirst;

    /** Whether reads from informers show what this process has written at once, before the watch brings it. */
    private boolean readOwnWrites = true;

    /** Whether to detect, log and count changes that code makes to objects in the caches. For development: it doubles the memory that caches take. */
    private boolean detectMutations;

    /** Number of objects in one page of a list. The API server ignores it when it answers from its watch cache. */
    private int pageSize = 500;

    /** Whether to drop metadata.managedFields before an object is cached. Few controllers read it, and it is often half of the object. */
    private boolean dropManagedFields = true;

    public Duration getDisconnectTimeout() {
        return disconnectTimeout;
    }

    public void setDisconnectTimeout(Duration disconnectTimeout) {
        this.disconnectTimeout = disconnectTimeout;
    }

    public boolean isReadyWithoutRights() {
        return readyWithoutRights;
    }

    public void setReadyWithoutRights(boolean readyWithoutRights) {
        this.readyWithoutRights = readyWithoutRights;
    }

    public boolean isWatchListFirst() {
        return watchListFirst;
    }

    public void setWatchListFirst(boolean watchListFirst) {
        this.watchListFirst = watchListFirst;
    }

    public boolean isDetectMutations() {
        return detectMutations;
    }

    public void setDetectMutations(boolean detectMutations) {
        this.detectMutations = detectMutations;
    }

    public int getPageSize() {
        return pageSize;
    }

    public void setPageSize(int pageSize) {
        this.pageSize = pageSize;
    }

    public boolean isDropManagedFields() {
        return dropManagedFields;
    }

    public void setDropManagedFields(boolean dropManagedFields) {
        this.dropManagedFields = dropManagedFields;
    }

    public boolean isReadOwnWrites() {
        return readOwnWrites;
    }

    public void setReadOwnWrites(boolean readOwnWrites) {
        this.readOwnWrites = readOwnWrites;
    }
}
