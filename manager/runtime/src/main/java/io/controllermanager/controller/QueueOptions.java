package io.controllermanager.controller;

/**
 * How a controller's keys queue.
 *
 * @param rateLimiter how long a key that failed waits
 * @param priorities whether keys of an initial list or a resync wait behind those of live changes; if not, all stand in
 *     one line
 */
public record QueueOptions(RateLimiterOptions rateLimiter, boolean priorities) {

    /** The default rate limiter, with priorities. */
    public static final QueueOptions DEFAULTS = new QueueOptions(RateLimiterOptions.DEFAULTS, true);

    /** The same with another rate limiter. */
    public QueueOptions withRateLimiter(RateLimiterOptions newRateLimiter) {
        return new QueueOptions(newRateLimiter, priorities);
    }

    /** The same with or without priorities. */
    public QueueOptions withPriorities(boolean newPriorities) {
        return new QueueOptions(rateLimiter, newPriorities);
    }
}
