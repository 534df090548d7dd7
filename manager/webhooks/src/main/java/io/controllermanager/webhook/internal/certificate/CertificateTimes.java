package io.controllermanager.webhook.internal.certificate;

import java.time.Duration;
import java.time.Instant;

/**
 * How long certificates last, and when they are renewed.
 *
 * @param authorityLifetime how long an authority lasts
 * @param authorityAhead how long before its end the next one is made; longer than a leaf lasts, or leaves become shorter
 * @param leafLifetime how long a leaf lasts, at most as long as its authority
 * @param leafAhead how long before its end a leaf is renewed
 * @param settle how long API servers are given to see a new bundle, from when every target has it
 * @param patience how long the leader is waited for when something is due, before any replica does it
 */
public record CertificateTimes(
        Duration authorityLifetime,
        Duration authorityAhead,
        Duration leafLifetime,
        Duration leafAhead,
        Duration settle,
        Duration patience) {

    /** Ten years and one ahead, 90 days and 30 ahead, a minute, a week. */
    public static final CertificateTimes DEFAULTS = new CertificateTimes(
            Duration.ofDays(3652),
            Duration.ofDays(365),
            Duration.ofDays(90),
            Duration.ofDays(30),
            Duration.ofMinutes(1),
            Duration.ofDays(7));

    /** When a leaf ends that an authority signs now. */
    Instant leafEnd(Instant now, Instant authorityEnd) {
        Instant end = now.plus(leafLifetime);
        return end.isBefore(authorityEnd) ? end : authorityEnd;
    }
}
