package io.controllermanager.webhook.internal.certificate;

import io.controllermanager.time.Clock;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import okhttp3.tls.HeldCertificate;

/** Makes authorities and what they sign, all on the curve P-256. Safe for use by several threads. */
final class CertificateMaker {

    /** Other machines' clocks may be behind. */
    private static final Duration CLOCK_SKEW = Duration.ofHours(1);

    private final SecureRandom random = new SecureRandom();
    private final String name;
    private final CertificateTimes times;
    private final Clock clock;

    /** Makes certificates of whoever has this name. */
    CertificateMaker(String name, CertificateTimes times, Clock clock) {
        // A common name has at most 64 characters, and an authority's ends with a number.
        this.name = name.substring(0, Math.min(name.length(), 47));
        this.times = times;
        this.clock = clock;
    }

    /** A new authority. Its name is no other's, since chains are built by names. */
    KeyedCertificate authority() {
        return made(begin(clock.now().plus(times.authorityLifetime()))
                .commonName(name + " " + Long.toHexString(random.nextLong()))
                .certificateAuthority(0));
    }

    /** A new leaf for a server of these names and addresses. */
    KeyedCertificate leaf(KeyedCertificate authority, Collection<String> names) {
        HeldCertificate.Builder leaf = begin(times.leafEnd(clock.now(), authority.end()))
                .commonName(name)
                .signedBy(authority.held());
        names.forEach(leaf::addSubjectAlternativeName);
        return made(leaf);
    }

    private HeldCertificate.Builder begin(Instant end) {
        return new HeldCertificate.Builder()
                .serialNumber(new BigInteger(127, random))
                .validityInterval(clock.now().minus(CLOCK_SKEW).toEpochMilli(), end.toEpochMilli());
    }

    private static KeyedCertificate made(HeldCertificate.Builder builder) {
        HeldCertificate held = builder.build();
        return new KeyedCertificate(List.of(held.certificate()), held.keyPair().getPrivate());
    }
}
