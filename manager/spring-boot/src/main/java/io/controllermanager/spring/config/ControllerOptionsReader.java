package io.controllermanager.spring.config;

import static java.util.Objects.requireNonNullElse;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.QueueOptions;
import io.controllermanager.controller.RateLimiterOptions;
import io.controllermanager.informer.Shards;
import java.time.Duration;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Puts what is set for one controller in the place of what it was built with, and reports what is wrong in it.
 *
 * @param checks of its properties
 */
record ControllerOptionsReader(PropertyChecks checks) {

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
                requireNonNullElse(own.workers(), built.workers()),
                zeroForNone(own.reconcileTimeout(), built.reconcileTimeout()),
                requireNonNullElse(
                        own.cacheSyncTimeout(), requireNonNullElse(cacheSyncTimeout, built.cacheSyncTimeout())),
                zeroForNone(own.minInterval(), built.minInterval()),
                zeroForNone(own.maxInterval(), built.maxInterval()),
                requireNonNullElse(own.needsLeaderElection(), built.needsLeaderElection()),
                requireNonNullElse(own.essential(), built.essential()),
                requireNonNullElse(own.readyWithoutType(), built.readyWithoutType()),
                new QueueOptions(
                        rateLimiter(built.rateLimiter(), own.rateLimiter()),
                        requireNonNullElse(
                                own.queue().priorities(), built.queue().priorities()),
                        requireNonNullElse(own.queue().fairness(), built.queue().fairness())),
                new Shards(
                        requireNonNullElse(own.shards(), built.shards().count()),
                        requireNonNullElse(own.shardBy(), built.shards().by())));
    }

    private static RateLimiterOptions rateLimiter(RateLimiterOptions built, ControllerProperties.RateLimiter own) {
        return new RateLimiterOptions(
                requireNonNullElse(own.type(), built.type()),
                requireNonNullElse(own.minBackoff(), built.minBackoff()),
                requireNonNullElse(own.maxBackoff(), built.maxBackoff()),
                requireNonNullElse(own.jitter(), built.jitter()),
                requireNonNullElse(own.qps(), built.qps()),
                requireNonNullElse(own.burst(), built.burst()),
                requireNonNullElse(own.fastAttempts(), built.fastAttempts()));
    }

    private static @Nullable Duration zeroForNone(@Nullable Duration own, @Nullable Duration built) {
        return own == null ? built : own.isZero() ? null : own;
    }

    /** Whether all of it is right; looks at everything, so that all mistakes are reported. */
    private boolean check(RateLimiterOptions built, ControllerProperties own) {
        int most = ControllerOptions.MOST_WORKERS;
        ControllerProperties.RateLimiter limiter = own.rateLimiter();
        return Stream.of(
                        checks.check("workers", own.workers(), n -> n >= 1 && n <= most, "must be from 1 to " + most),
                        checks.check(
                                "shards",
                                own.shards(),
                                n -> n >= 1 && n <= Shards.MOST,
                                "must be from 1 to " + Shards.MOST),
                        checkNotNegative("reconcile-timeout", own.reconcileTimeout()),
                        checkNotNegative("min-interval", own.minInterval()),
                        checkNotNegative("max-interval", own.maxInterval()),
                        checks.checkPositive("cache-sync-timeout", own.cacheSyncTimeout()),
                        checkBackoff(built, limiter),
                        checks.check(
                                "rate-limiter.jitter", limiter.jitter(), n -> n >= 0 && n <= 1, "must be from 0 to 1"),
                        checks.check(
                                "rate-limiter.qps",
                                limiter.qps(),
                                n -> n > 0 && !n.isInfinite(),
                                "must be more than 0 and finite"),
                        checks.checkAtLeastOne("rate-limiter.burst", limiter.burst()),
                        checks.checkAtLeastOne("rate-limiter.fast-attempts", limiter.fastAttempts()))
                .allMatch(right -> right);
    }

    private boolean checkBackoff(RateLimiterOptions built, ControllerProperties.RateLimiter own) {
        boolean minPositive = checks.checkPositive("rate-limiter.min-backoff", own.minBackoff());
        boolean maxPositive = checks.checkPositive("rate-limiter.max-backoff", own.maxBackoff());
        Duration min = requireNonNullElse(own.minBackoff(), built.minBackoff());
        Duration max = requireNonNullElse(own.maxBackoff(), built.maxBackoff());
        if (!minPositive || !maxPositive || max.compareTo(min) >= 0) {
            return minPositive && maxPositive;
        }
        boolean minIsSet = own.maxBackoff() == null;
        checks.report(
                "rate-limiter." + (minIsSet ? "min-backoff" : "max-backoff"),
                minIsSet ? min : max,
                minIsSet
                        ? "must be at most max-backoff, which is " + GoDuration.format(max)
                        : "must be at least min-backoff, which is " + GoDuration.format(min));
        return false;
    }

    private boolean checkNotNegative(String property, @Nullable Duration duration) {
        return checks.check(property, duration, PropertyChecks.NOT_NEGATIVE, "must not be negative; 0 for none");
    }
}
