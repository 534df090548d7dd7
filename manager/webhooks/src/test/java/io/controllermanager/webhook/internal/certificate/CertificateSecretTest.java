package io.controllermanager.webhook.internal.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is read of a Secret, and written into it. */
class CertificateSecretTest {

    private final VirtualTime time = new VirtualTime();
    private final CertificateMaker maker = new CertificateMaker("hooks", CertificateTimes.DEFAULTS, time);
    private final KeyedCertificate authority = maker.authority();
    private final KeyedCertificate next = maker.authority();
    private final CertificateSecret first =
            CertificateSecret.first(authority, maker.leaf(authority, List.of("a.b.svc", "192.0.2.1", "2001:db8::1")));

    private static Map<String, byte[]> stored(CertificateSecret secret) {
        Map<String, byte[]> data = new HashMap<>();
        secret.data().forEach((key, base64) -> {
            if (base64 != null) {
                data.put(key, Base64.getDecoder().decode(base64));
            }
        });
        return data;
    }

    private Map<String, byte[]> changed(String key, String text) {
        Map<String, byte[]> data = stored(first);
        data.put(key, text.getBytes(StandardCharsets.UTF_8));
        return data;
    }

    @Test
    void whatIsWrittenIsRead() {
        for (CertificateSecret each : List.of(first, first.withNext(next, time.now()))) {
            assertThat(CertificateSecret.of(stored(each))).isEqualTo(each);
        }
    }

    @Test
    void aChangeGoesInThreeSteps() {
        CertificateSecret both = first.withNext(next, time.now());
        KeyedCertificate leaf = maker.leaf(next, List.of("a.b.svc"));
        CertificateSecret signed = both.signedByNext(leaf);

        assertThat(both.authorities()).containsExactly(authority.certificate(), next.certificate());
        assertThat(both.signer()).isEqualTo(authority);
        assertThat(signed.authorities()).isEqualTo(both.authorities());
        assertThat(signed.signer()).isEqualTo(next);
        assertThat(signed.next()).isNull();
        assertThat(CertificateSecret.of(stored(signed))).isEqualTo(signed);
    }

    @Test
    void anAuthorityThatHasRunOutLeavesWithTheNextChange() {
        time.advance(CertificateTimes.DEFAULTS.authorityLifetime());

        assertThat(first.withNext(next, time.now()).authorities()).containsExactly(next.certificate());
    }

    @Test
    void namesAndAddressesAreInTheLeaf() {
        KeyedCertificate leaf = first.leaf();

        assertThat(leaf).isNotNull();
        assertThat(leaf.names()).isEqualTo(Set.of("a.b.svc", "192.0.2.1", "2001:db8:0:0:0:0:0:1"));
        assertThat(leaf.end()).isEqualTo(time.now().plus(Duration.ofDays(90)));
        assertThat(first.isServable(leaf.end().minusSeconds(1))).isTrue();
        assertThat(first.isServable(leaf.end())).isFalse();
    }

    @Test
    void whatIsOfNoUseIsNamed() {
        CertificateSecret garbage = CertificateSecret.of(changed("tls.crt", "garbage"));
        assertThat(garbage.leaf()).isNull();
        assertThat(garbage.signer()).isEqualTo(authority);
        assertThat(garbage.faults()).singleElement().asString().startsWith("tls.crt and tls.key: ");

        CertificateSecret otherKey = CertificateSecret.of(changed("tls.key", next.keyPem()));
        assertThat(otherKey.leaf()).isNull();
        assertThat(otherKey.faults()).singleElement().asString().contains("do not belong together");

        CertificateSecret otherAuthority = CertificateSecret.of(changed("ca.crt", next.certificatePem()));
        assertThat(otherAuthority.leaf()).isNull();
        assertThat(otherAuthority.signer()).isNull();
        assertThat(otherAuthority.faults())
                .containsExactly("tls.crt: none of ca.crt has signed it", "ca.key: it is the key of none of ca.crt");

        CertificateSecret nothing = CertificateSecret.of(changed("ca.crt", "-----BEGIN CERTIFICATE-----\nAAAA"));
        assertThat(nothing.authorities()).isEmpty();
        assertThat(nothing.faults()).first().asString().startsWith("ca.crt: ");
    }

    @Test
    void anEmptySecretHasNothingAndNoFault() {
        assertThat(CertificateSecret.of(Map.of()))
                .isEqualTo(new CertificateSecret(List.of(), null, null, null, List.of()));
    }
}
