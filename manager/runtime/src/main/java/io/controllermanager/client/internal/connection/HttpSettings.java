package io.controllermanager.client.internal.connection;

import java.time.Duration;

/**
 * How the host talks HTTP to the API server. Watches have no read time limit; a connection that died silently is found
 * by HTTP/2 pings within twice their interval.
 *
 * @param connectTimeout the time limit for TCP connect and TLS each
 * @param requestTimeout the longest silence in answer to any request but a watch; the API server ends its own requests
 *     after 60 s, so that a longer silence means that nobody is there
 * @param pingInterval how often an HTTP/2 connection is pinged; at most 15 s
 * @param limits how many requests go out
 * @param userAgent what the API server's audit log calls this process
 */
public record HttpSettings(
        Duration connectTimeout,
        Duration requestTimeout,
        Duration pingInterval,
        RequestLimits limits,
        String userAgent) {

    // Before the constant that is checked against it.
    private static final Duration LONGEST_PING_INTERVAL = Duration.ofSeconds(15);

    /** 10 s to connect, 65 s of silence, pings every 10 s, no limits. */
    public static final HttpSettings DEFAULTS = new HttpSettings(
            Duration.ofSeconds(10),
            Duration.ofSeconds(65),
            Duration.ofSeconds(10),
            RequestLimits.NONE,
            "controller-manager/unknown");

    public HttpSettings {
        requirePositive("connectTimeout", connectTimeout);
        requirePositive("requestTimeout", requestTimeout);
        requirePositive("pingInterval", pingInterval);
        if (pingInterval.compareTo(LONGEST_PING_INTERVAL) > 0) {
            throw new IllegalArgumentException("pingInterval must be at most 15s, but is " + pingInterval);
        }
    }

    private static void requirePositive(String name, Duration duration) {
        if (duration.isNegative() || duration.isZero()) {
            throw new IllegalArgumentException(name + " must be positive, but is " + duration);
        }
    }

    /** The same with other limits. */
    public HttpSettings withLimits(RequestLimits newLimits) {
        return new HttpSettings(connectTimeout, requestTimeout, pingInterval, newLimits, userAgent);
    }

    /** The same with another user agent. */
    public HttpSettings withUserAgent(String newUserAgent) {
        return new HttpSettings(connectTimeout, requestTimeout, pingInterval, limits, newUserAgent);
    }
}
