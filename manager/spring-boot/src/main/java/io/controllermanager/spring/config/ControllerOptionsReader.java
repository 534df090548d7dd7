package io.controllermanager.spring.config;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.QueueOptions;
import io.controllermanager.controller.RateLimiterOptions;
import java.time.Duration;
import java.util.function.Predicate;
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
     * What is set for all controllers.
     *
     * @param cacheSyncTimeout null if it is not
     */
    record Common(@Nullable Duration cacheSyncTimeout) {}

    ControllerOptions read(ControllerOptions defaults, Common common, ControllerProperties own) {
        ControllerOptions options = defaults;
        Integer workers = own.getWorkers();
        int most = ControllerOptions.MOST_WORKERS;
        if (workers != null
                && check("workers", workers, value -> value >= 1 && value <= most, "must be from 1 to " + most)) {
            options = options.withWorkers(workers);
        }
        Duration reconcileTimeout = own.getReconcileTimeout();
        if (reconcileTimeout != null && checkNotNegative("reconcile-timeout", reconcileTimeout)) {
            options = options.withReconcileTimeout(zeroForNone(reconcileTimeout));
        }
        Duration minInterval = own.getMinInterval();
        if (minInterval != null && checkNotNegative("min-interval", minInterval)) {
            options = options.withMinInterval(zeroForNone(minInterval));
        }
        Duration cacheSyncTimeout = own.getCacheSyncTimeout();
        if (cacheSyncTimeout == null) {
            cacheSyncTimeout = common.cacheSyncTimeout();
        } else if (!checkPositive("cache-sync-timeout", cacheSyncTimeout)) {
            cacheSyncTimeout = null;
        }
        if (cacheSyncTimeout != null) {
            options = options.withCacheSyncTimeout(cacheSyncTimeout);
        }
        if (own.getNeedsLeaderElection() != null) {
            options = options.withNeedsLeaderElection(own.getNeedsLeaderElection());
        }
        if (own.getEssential() != null) {
            options = options.withEssential(own.getEssential());
        }
        if (own.getReadyWithoutType() != null) {
            options = options.withReadyWithoutType(own.getReadyWithoutType());
        }
        return options.withQueue(queue(options.queue(), own));
    }

    private QueueOptions queue(QueueOptions defaults, ControllerProperties own) {
        QueueOptions options = defaults.withRateLimiter(rateLimiter(defaults.rateLimiter(), own.getRateLimiter()));
        Boolean priorities = own.getQueue().getPriorities();
        if (priorities != null) {
            options = options.withPriorities(priorities);
        }
        Boolean fairness = own.getQueue().getFairness();
        return fairness == null ? options : options.withFairness(fairness);
    }

    private RateLimiterOptions rateLimiter(RateLimiterOptions defaults, ControllerProperties.RateLimiter own) {
        RateLimiterOptions options = withBackoff(defaults, own);
        if (own.getType() != null) {
            options = options.withType(own.getType());
        }
        Double jitter = own.getJitter();
        if (jitter != null
                && check("rate-limiter.jitter", jitter, value -> value >= 0 && value <= 1, "must be from 0 to 1")) {
            options = options.withJitter(jitter);
        }
        Double qps = own.getQps();
        if (qps != null
                && check(
                        "rate-limiter.qps",
                        qps,
                        value -> value > 0 && !value.isInfinite(),
                        "must be more than 0 and finite")) {
            options = options.withBucket(qps, options.burst());
        }
        Integer burst = own.getBurst();
        if (burst != null && check("rate-limiter.burst", burst, value -> value >= 1, "must be at least 1")) {
            options = options.withBucket(options.qps(), burst);
        }
        Integer fastAttempts = own.getFastAttempts();
        if (fastAttempts != null
                && check("rate-limiter.fast-attempts", fastAttempts, value -> value >= 1, "must be at least 1")) {
            options = options.withFastAttempts(fastAttempts);
        }
        return options;
    }

    private RateLimiterOptions withBackoff(RateLimiterOptions options, ControllerProperties.RateLimiter own) {
        boolean minPositive = checkPositive("rate-limiter.min-backoff", own.getMinBackoff());
        boolean maxPositive = checkPositive("rate-limiter.max-backoff", own.getMaxBackoff());
        if (!minPositive || !maxPositive) {
            return options;
        }
        Duration min = own.getMinBackoff() == null ? options.minBackoff() : own.getMinBackoff();
        Duration max = own.getMaxBackoff() == null ? options.maxBackoff() : own.getMaxBackoff();
        if (max.compareTo(min) < 0) {
            boolean minIsSet = own.getMaxBackoff() == null;
            report.add(
                    prefix + "rate-limiter." + (minIsSet ? "min-backoff" : "max-backoff"),
                    GoDuration.format(minIsSet ? min : max),
                    minIsSet
                            ? "must be at most max-backoff, which is " + GoDuration.format(max)
                            : "must be at least min-backoff, which is " + GoDuration.format(min));
            return options;
        }
        return options.withBackoff(min, max);
    }

    private static @Nullable Duration zeroForNone(Duration duration) {
        return duration.isZero() ? null : duration;
    }

    private boolean checkPositive(String property, @Nullable Duration duration) {
        return duration == null
                || check(property, duration, value -> !value.isNegative() && !value.isZero(), "must be longer than 0");
    }

    private boolean checkNotNegative(String property, Duration duration) {
        return check(property, duration, value -> !value.isNegative(), "must not be negative; 0 for none");
    }

    private <T> boolean check(String property, T value, Predicate<T> right, String message) {
        if (right.test(value)) {
            return true;
        }
        report.add(
                prefix + property,
                value instanceof Duration duration ? GoDuration.format(duration) : value.toString(),
                message);
        return false;
    }
}
