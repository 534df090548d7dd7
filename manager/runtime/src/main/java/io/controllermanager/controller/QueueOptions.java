package io.controllermanager.controller;

/**
 * How a controller's keys queue.
 *
 * @param rateLimiter how long a key that failed waits
 * @param priorities whether keys of an initial list or a resync wait behind those of live changes; if not, all stand in
 *     one line
 * @param fairness whether namespaces take turns, so that one with a million keys does not keep the others waiting; if not,
 *     keys of one priority are taken in the order in which they came
 */
public record QueueOptions(RateLimiterOptions rateLimiter, boolean priorities, boolean fairness) {

    /** The default rate limiter, with priorities, without fairness. */
    public static final QueueOptions DEFAULTS = new QueueOptions(RateLimiterOptions.DEFAULTS, true, false);

    /** The same with another rate limiter. */
    public QueueOptions withRateLimiter(RateLimiterOptions newRateLimiter) {
        return new QueueOptions(newRateLimiter, priorities, fairness);
    }

    /** The same with or without priorities. */
    public QueueOptions withPriorities(boolean newPriorities) {
        return new QueueOptions(rateLimiter, newPriorities, fairness);
    }

    /** The same with or without turns for each namespace. */
    public QueueOptions withFairness(boolean newFairness) {
        return new QueueOptions(rateLimiter, priorities, newFairness);
    }
}
