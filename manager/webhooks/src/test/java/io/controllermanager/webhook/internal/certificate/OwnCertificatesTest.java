package io.controllermanager.webhook.internal.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.webhook.internal.certificate.CertificateWorld.Killed;
import io.controllermanager.webhook.internal.certificate.CertificateWorld.Replica;
import io.kubernetes.client.openapi.ApiException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas that share a Secret, on the embedded API server and in virtual time. */
class OwnCertificatesTest {

    private final CertificateWorld world;

    OwnCertificatesTest() throws ApiException {
        world = new CertificateWorld();
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** Three replicas, the first of which leads, with all in order. */
    private Duration started() throws ApiException {
        for (int i = 0; i < 3; i++) {
            world.replica(i == 0);
        }
        Duration next = world.settle();
        world.strict = true;
        return next;
    }

    /** Goes on in time until something is so, each replica looking whenever it wants to. */
    private void until(Predicate<CertificateSecret> reached) throws ApiException {
        for (int i = 0; i < 1_000; i++) {
            Duration next = world.settle();
            if (reached.test(world.secret())) {
                break;
            }
            world.time.advance(next.isNegative() ? Duration.ZERO : next);
        }
        world.settle();
        assertThat(world.secret()).matches(reached);
    }

    private void allServe(CertificateSecret secret) {
        assertThat(secret.leaf()).isNotNull();
        assertThat(world.replicas)
                .allSatisfy(replica ->
                        assertThat(replica.leaf()).isEqualTo(secret.leaf().certificate()));
        for (String crd : CertificateWorld.CRDS) {
            assertThat(world.bundle(crd)).containsAll(secret.authorities());
        }
    }

    @Test
    void threeReplicasThatStartAtOnceEndWithOneAuthority() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<Duration>> starts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Replica replica = world.replica(false);
            starts.add(threads.submit(replica::look));
        }
        for (Future<Duration> each : starts) {
            assertThat(each.get()).isPositive();
        }
        threads.shutdown();

        CertificateSecret secret = world.secret();
        assertThat(secret.authorities()).hasSize(1);
        allServe(secret);
    }

    @Test
    void aLeafIsRenewedWithoutTouchingABundle() throws ApiException {
        assertThat(started()).isEqualTo(Duration.ofDays(60));
        CertificateSecret first = world.secret();
        int changes = world.changes("apples.example.com");

        until(secret -> !secret.leaf().equals(first.leaf()));

        assertThat(world.time.now()).isEqualTo(Instant.parse("2026-03-02T00:00:00Z"));
        assertThat(world.secret().authorities()).isEqualTo(first.authorities());
        assertThat(world.changes("apples.example.com")).isEqualTo(changes);
        allServe(world.secret());
    }

    @Test
    void withoutALeaderAnotherRenewsAWeekLater() throws ApiException {
        started();
        CertificateSecret first = world.secret();
        world.replicas.get(0).leads = false;

        until(secret -> !secret.leaf().equals(first.leaf()));

        assertThat(world.time.now()).isEqualTo(Instant.parse("2026-03-09T00:00:00Z"));
        allServe(world.secret());
    }

    /** Three years, in which the authority changes twice and each bundle once with it. */
    @Test
    void authoritiesChangeWithoutAMomentOfMistrust() throws ApiException {
        started();
        Set<X509Certificate> signers = new HashSet<>();
        int changes = world.changes("pears.example.com");

        until(secret -> {
            signers.add(secret.signer().certificate());
            return signers.size() == 3 && secret.next() == null;
        });

        assertThat(world.changes("pears.example.com")).isEqualTo(changes + 2);
        assertThat(world.secret().authorities()).hasSize(2);
        assertThat(world.bundle("pears.example.com")).hasSize(2);
        allServe(world.secret());
    }

    @Test
    void anAuthorityWithoutItsKeyIsReplacedInOrder() throws ApiException {
        started();
        CertificateSecret first = world.secret();

        world.patchSecret("{\"data\":{\"ca.key\":null}}");
        until(secret -> secret.signer() != null && secret.next() == null);

        assertThat(world.secret().authorities()).hasSize(2).containsAll(first.authorities());
        assertThat(world.secret().leaf()).isNotEqualTo(first.leaf());
        allServe(world.secret());
    }

    /** As the documentation says: its key goes, then it goes from the Secret, then from the bundles. */
    @Test
    void anAuthorityThatIsNotToBeTrustedAnyMoreIsReplacedForGood() throws ApiException {
        started();
        X509Certificate former = world.secret().signer().certificate();

        world.patchSecret("{\"data\":{\"ca.key\":null}}");
        until(secret -> secret.signer() != null && secret.next() == null);
        X509Certificate signer = world.secret().signer().certificate();
        assertThat(world.secret().authorities()).containsExactly(former, signer);
        String alone =
                Base64.getEncoder().encodeToString(Pem.of(List.of(signer)).getBytes(StandardCharsets.UTF_8));
        world.patchSecret("{\"data\":{\"ca.crt\":\"" + alone + "\"}}");
        world.settle();
        for (String crd : CertificateWorld.CRDS) {
            world.setBundle(crd, List.of(signer));
        }
        world.time.advance(Duration.ofDays(1));
        world.settle();

        assertThat(world.secret().authorities()).containsExactly(signer);
        for (String crd : CertificateWorld.CRDS) {
            assertThat(world.bundle(crd)).containsExactly(signer);
        }
        allServe(world.secret());
    }

    @Test
    void aSecretThatIsDeletedIsMadeAgain() throws ApiException {
        started();
        CertificateSecret first = world.secret();
        assertThat(world.secrets.delete("default", CertificateWorld.NAME)).isTrue();

        world.settle();

        assertThat(world.secret()).isEqualTo(first);
        assertThat(world.secrets.get("default", CertificateWorld.NAME).getType())
                .isEqualTo("Opaque");
        allServe(first);
    }

    @Test
    void aFreshReplicaLeavesADeletedSecretToThoseThatRememberIt() throws ApiException {
        started();
        CertificateSecret first = world.secret();
        assertThat(world.secrets.delete("default", CertificateWorld.NAME)).isTrue();

        Replica fresh = world.replica(true);
        assertThat(fresh.look()).isEqualTo(Duration.ofSeconds(3));
        assertThat(fresh.serves).isNull();
        world.replicas.get(1).look();
        fresh.look();

        assertThat(world.secret()).isEqualTo(first);
        allServe(first);
    }

    @Test
    void whereNobodyRemembersADeletedSecretAnotherAuthorityIsMade() throws ApiException {
        started();
        CertificateSecret first = world.secret();
        assertThat(world.secrets.delete("default", CertificateWorld.NAME)).isTrue();
        world.replicas.clear();
        world.strict = false;

        Replica fresh = world.replica(false);
        world.time.advance(fresh.look());
        fresh.look();

        assertThat(world.secret().authorities()).hasSize(1).isNotEqualTo(first.authorities());
        allServe(world.secret());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"data\":null}",
                "{\"data\":{\"ca.crt\":\"Z2FyYmFnZQ==\",\"tls.crt\":\"Z2FyYmFnZQ==\"}}",
                "{\"data\":{\"tls.crt\":\"Z2FyYmFnZQ==\",\"tls.key\":\"Z2FyYmFnZQ==\",\"ca.key\":null}}"
            })
    void aSecretThatIsSpoiltIsAsBefore(String patch) throws ApiException {
        started();
        CertificateSecret first = world.secret();
        world.patchSecret(patch);

        world.settle();

        assertThat(world.secret()).isEqualTo(first);
        allServe(first);
    }

    @Test
    void aLeafThatIsSpoiltIsSignedAnew() throws ApiException {
        started();
        CertificateSecret first = world.secret();
        world.patchSecret("{\"data\":{\"tls.key\":\"Z2FyYmFnZQ==\"}}");

        world.settle();

        assertThat(world.secret().authorities()).isEqualTo(first.authorities());
        assertThat(world.secret().leaf()).isNotEqualTo(first.leaf());
        allServe(world.secret());
    }

    @Test
    void garbageThatNobodyRemembersIsReplaced() throws ApiException {
        world.patchSecret(
                "{\"data\":{\"ca.crt\":\"Z2FyYmFnZQ==\",\"tls.crt\":\"Z2FyYmFnZQ==\",\"tls.key\":\"Z2FyYmFnZQ==\"}}");

        started();

        assertThat(world.secret().faults()).isEmpty();
        allServe(world.secret());
    }

    @Test
    void aBundleThatIsEmptiedOrACrdThatIsReplacedIsWrittenAgain() throws ApiException {
        started();
        world.strict = false;
        world.emptyBundle("apples.example.com");
        world.crds.delete(null, "pears.example.com");
        world.install("pears.example.com");
        assertThat(world.bundle("apples.example.com")).isEmpty();
        assertThat(world.bundle("pears.example.com")).isEmpty();

        world.replicas.get(1).look();

        allServe(world.secret());
    }

    @Test
    void aCrdThatIsMissingKeepsNothingFromGoingOn() throws ApiException {
        world.crds.delete(null, "pears.example.com");
        for (int i = 0; i < 3; i++) {
            world.replica(i == 0);
        }

        assertThat(world.settle()).isEqualTo(Duration.ofDays(60));
        assertThat(world.bundle("apples.example.com")).hasSize(1);

        world.install("pears.example.com");
        world.settle();
        allServe(world.secret());
    }

    /** The leader is killed at each request of a change of authority, before it arrives or after; another goes on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aKillBetweenAnyTwoStepsHarmsNothing(boolean lastArrives) throws ApiException {
        started();
        world.patchSecret("{\"data\":{\"ca.key\":null}}");
        int kills = 0;
        for (int requests = 0; ; requests++) {
            CertificateSecret before = world.secret();
            Replica leader = world.replicas.get(0);
            leader.requestsLeft = requests;
            leader.lastArrives = lastArrives;
            boolean killed = false;
            for (int minutes = 0; minutes < 3 && !killed; minutes++) {
                try {
                    leader.look();
                    world.time.advance(Duration.ofMinutes(1));
                } catch (Killed | ApiException e) {
                    killed = true;
                }
            }
            if (!killed) {
                leader.requestsLeft = Integer.MAX_VALUE;
                break;
            }
            kills++;
            world.replicas.set(0, world.new Replica(true));
            // Others look when something has changed.
            world.replicas.get(1).look();
            world.replicas.get(2).look();
            if (before.next() != null && world.secret().next() == null) {
                // It is through: again, with one request more.
                world.settle();
                world.patchSecret("{\"data\":{\"ca.key\":null}}");
            }
        }
        assertThat(kills).isGreaterThan(10);
        until(secret -> secret.next() == null && secret.signer() != null);
        allServe(world.secret());
    }
}
