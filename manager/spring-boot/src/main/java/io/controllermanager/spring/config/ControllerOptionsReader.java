package io.controllermanager.spring.config;

import static java.util.Objects.requireNonNullElse;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.QueueOptions;
import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.informer.Shards;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Puts what is set for one controller in the place of what it was built with, and reports what is wrong in it. */
final class ControllerOptionsReader {

    private final String prefix;
    private final Report report;

    /**
     * With the beginning of its properties' names.
     *
     * @param prefix with a dot at its end
     */
    ControllerOptionsReader(String prefix, Report report) {
        this.prefix = prefix;
        this.report = report;
    }

    /** Takes mistakes. */
    @FunctionalInterface
    interface Report {
        void add(String property, String value, String message);
    }

    /**
     * What is set, or else what it was built with; the latter alone if anything is wrong.
     *
     * @param cacheSyncTimeout what is set for all controllers, null if it is not
     */
    ControllerOptions read(ControllerOptions built, @Nullable Duration cacheSyncTimeout, ControllerProperties own) {
        if (!check(built.rateLimiter(), own)) {
            return built;
        }
        return new ControllerOptions(
                requireNonNullElse(own.getWorkers(), built.workers()),
                zeroForNone(own.getReconcileTimeout(), built.reconcileTimeout()),
                requireNonNullElse(
                        own.getCacheSyncTimeout(), requireNonNullElse(cacheSyncTimeout, built.cacheSyncTimeout())),
                zeroForNone(own.getMinInterval(), built.minInterval()),
                zeroForNone(own.getMaxInterval(), built.maxInterval()),
                requireNonNullElse(own.getNeedsLeaderElection(), built.needsLeaderElection()),
                requireNonNullElse(own.getEssential(), built.essential()),
                requireNonNullElse(own.getReadyWithoutType(), built.readyWithoutType()),
                new QueueOptions(
                        rateLimiter(built.rateLimiter(), own.getRateLimiter()),
                        requireNonNullElse(
                                own.getQueue().getPriorities(), built.queue().priorities()),
                        requireNonNullElse(
                                own.getQueue().getFairness(), built.queue().fairness())),
                new Shards(
                        requireNonNullElse(own.getShards(), built.shards().count()),
                        requireNonNullElse(own.getShardBy(), built.shards().by())));
    }

    private static RateLimiterOptions rateLimiter(RateLimiterOptions built, ControllerProperties.RateLimiter own) {
        return new RateLimiterOptions(
                requireNonNullElse(own.getType(), built.type()),
                requireNonNullElse(own.getMinBackoff(), built.minBackoff()),
                requireNonNullElse(own.getMaxBackoff(), built.maxBackoff()),
                requireNonNullElse(own.getJitter(), built.jitter()),
                requireNonNullElse(own.getQps(), built.qps()),
                requireNonNullElse(own.getBurst(), built.burst()),
                requireNonNullElse(own.getFastAttempts(), built.fastAttempts()));
    }

    private static @Nullable Duration zeroForNone(@Nullable Duration own, @Nullable Duration built) {
        return own == null ? built : own.isZero() ? null : own;
    }

    /** Whether all of it is right; looks at everything, so that all mistakes are reported. */
    private boolean check(RateLimiterOptions built, ControllerProperties own) {
        int most = ControllerOptions.MOST_WORKERS;
        ControllerProperties.RateLimiter limiter = own.getRateLimiter();
        return Stream.of(
                        check("workers", own.getWorkers(), n -> n >= 1 && n <= most, "must be from 1 to " + most),
                        check(
                                "shards",
                                own.getShards(),
                                n -> n >= 1 && n <= Shards.MOST,
                                "must be from 1 to " + Shards.MOST),
                        checkNotNegative("reconcile-timeout", own.getReconcileTimeout()),
                        checkNotNegative("min-interval", own.getMinInterval()),
                        checkNotNegative("max-interval", own.getMaxInterval()),
                        checkPositive("cache-sync-timeout", own.getCacheSyncTimeout()),
                        checkBackoff(built, limiter),
                        check("rate-limiter.jitter", limiter.getJitter(), n -> n >= 0 && n <= 1, "must be from 0 to 1"),
                        check(
                                "rate-limiter.qps",
                                limiter.getQps(),
                                n -> n > 0 && !n.isInfinite(),
                                "must be more than 0 and finite"),
                        check("rate-limiter.burst", limiter.getBurst(), n -> n >= 1, "must be at least 1"),
                        check(
                                "rate-limiter.fast-attempts",
                                limiter.getFastAttempts(),
                                n -> n >= 1,
                                "must be at least 1"))
                .allMatch(right -> right);
    }

    private boolean checkBackoff(RateLimiterOptions built, ControllerProperties.RateLimiter own) {
        boolean minPositive = checkPositive("rate-limiter.min-backoff", own.getMinBackoff());
        boolean maxPositive = checkPositive("rate-limiter.max-backoff", own.getMaxBackoff());
        Duration min = requireNonNullElse(own.getMinBackoff(), built.minBackoff());
        Duration max = requireNonNullElse(own.getMaxBackoff(), built.maxBackoff());
        if (!minPositive || !maxPositive || max.compareTo(min) >= 0) {
            return minPositive && maxPositive;
        }
        boolean minIsSet = own.getMaxBackoff() == null;
        report.add(
                prefix + "rate-limiter." + (minIsSet ? "min-backoff" : "max-backoff"),
                GoDuration.format(minIsSet ? min : max),
                minIsSet
                        ? "must be at most max-backoff, which is " + GoDuration.format(max)
                        : "must be at least min-backoff, which is " + GoDuration.format(min));
        return false;
    }

    private boolean checkPositive(String property, @Nullable Duration duration) {
        return check(property, duration, value -> !value.isNegative() && !value.isZero(), "must be longer than 0");
    }

    private boolean checkNotNegative(String property, @Nullable Duration duration) {
        return check(property, duration, value -> !value.isNegative(), "must not be negative; 0 for none");
    }

    private <T> boolean check(String property, @Nullable T value, Predicate<T> right, String message) {
        if (value == null || right.test(value)) {
            return true;
        }
        report.add(
                prefix + property,
                value instanceof Duration duration ? GoDuration.format(duration) : value.toString(),
                message);
        return false;
    }
}
