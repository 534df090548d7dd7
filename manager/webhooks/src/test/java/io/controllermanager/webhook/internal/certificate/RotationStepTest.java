package io.controllermanager.webhook.internal.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.time.internal.VirtualTime;
import io.controllermanager.webhook.internal.certificate.RotationStep.Action;
import io.controllermanager.webhook.internal.certificate.RotationStep.Situation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is done in which situation: a table. */
class RotationStepTest {

    private static final CertificateTimes TIMES = CertificateTimes.DEFAULTS;
    private static final Instant START = VirtualTime.START;
    private static final String NAME = "hooks.shop.svc";
    private static final VirtualTime CLOCK = new VirtualTime();
    private static final CertificateMaker MAKER = new CertificateMaker("hooks", TIMES, CLOCK);
    private static final KeyedCertificate AUTHORITY = MAKER.authority();
    private static final KeyedCertificate NEXT = MAKER.authority();
    private static final KeyedCertificate LEAF = MAKER.leaf(AUTHORITY, Set.of(NAME));
    private static final CertificateSecret EMPTY = new CertificateSecret(List.of(), null, null, null, List.of());
    private static final CertificateSecret FIRST = CertificateSecret.first(AUTHORITY, LEAF);

    /** With a good Secret, by the leader, an hour after the start, and all bundles complete for that long. */
    private record Case(
            String name,
            UnaryOperator<Situation> changed,
            Action expected,
            @Nullable Duration next) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Case of(String name, UnaryOperator<Situation> changed, Action expected) {
        return new Case(name, changed, expected, null);
    }

    private static Situation with(CertificateSecret secret, @Nullable Instant complete, boolean leads, Instant now) {
        return new Situation(secret, false, now, Set.of(NAME), complete, leads, now);
    }

    private static Instant day(double days) {
        return START.plusSeconds((long) (days * 86_400));
    }

    private static UnaryOperator<Situation> secret(CertificateSecret secret) {
        return s -> with(secret, s.completeSince(), s.leads(), s.now());
    }

    private static UnaryOperator<Situation> day(double day, boolean leads) {
        return s -> with(s.secret(), s.completeSince(), leads, day(day));
    }

    private static UnaryOperator<Situation> remembering(CertificateSecret secret) {
        return s -> new Situation(secret, true, s.makes(), s.names(), s.completeSince(), s.leads(), s.now());
    }

    static Stream<Case> cases() {
        CertificateSecret expired = new CertificateSecret(AUTHORITY.chain(), LEAF, AUTHORITY, null, List.of());
        CertificateSecret noKey = new CertificateSecret(AUTHORITY.chain(), LEAF, null, null, List.of());
        CertificateSecret noLeaf = new CertificateSecret(AUTHORITY.chain(), null, AUTHORITY, null, List.of());
        CertificateSecret strayNext = new CertificateSecret(AUTHORITY.chain(), LEAF, AUTHORITY, NEXT, List.of());
        CertificateSecret next = FIRST.withNext(NEXT, START);
        return Stream.of(
                new Case("all is well", s -> s, Action.WAIT, Duration.ofDays(60)),
                new Case("all is well with a standby", day(1, false), Action.WAIT, Duration.ofDays(67)),
                of("the Secret is empty", secret(EMPTY), Action.MAKE),
                new Case(
                        "the Secret is empty, and others may remember",
                        s -> new Situation(EMPTY, false, s.now().plusSeconds(3), s.names(), null, s.leads(), s.now()),
                        Action.WAIT,
                        Duration.ofHours(1).plusSeconds(3)),
                of("the Secret is empty, but was not", remembering(EMPTY), Action.RESTORE),
                of("the leaf is missing", secret(noLeaf), Action.RENEW_LEAF),
                of("the leaf is missing, and remembered", remembering(noLeaf), Action.RENEW_LEAF),
                of(
                        "the leaf has run out, on any replica",
                        s -> with(expired, s.completeSince(), false, day(90)),
                        Action.RENEW_LEAF),
                of("leaf and key have run out", s -> with(noKey, s.completeSince(), false, day(90)), Action.MAKE),
                of(
                        "another name",
                        s -> new Situation(FIRST, false, s.now(), Set.of("laptop"), null, false, s.now()),
                        Action.RENEW_LEAF),
                of("the leaf is due", day(60, true), Action.RENEW_LEAF),
                of("the leaf is nearly due", day(59.9, true), Action.WAIT),
                of("the leaf is due, which is the leader's turn", day(66.9, false), Action.WAIT),
                of("the leaf is due, and no leader has done it", day(67, false), Action.RENEW_LEAF),
                of("a bundle lacks something", s -> with(FIRST, null, false, s.now()), Action.WRITE_BUNDLES),
                of(
                        "a bundle lacks something, and the leaf is due",
                        s -> with(FIRST, null, true, day(61)),
                        Action.RENEW_LEAF),
                of("the authority is due", s -> late(s, true, 3652 - 365), Action.ADD_NEXT),
                of("the authority is nearly due", s -> late(s, true, 3652 - 365 - 1), Action.WAIT),
                of("the authority is the leader's", s -> late(s, false, 3652 - 365 + 6), Action.WAIT),
                of(
                        "the authority is due, and no leader has done it",
                        s -> late(s, false, 3652 - 365 + 7),
                        Action.ADD_NEXT),
                of("the authority has lost its key", secret(noKey), Action.ADD_NEXT),
                of(
                        "the authority has lost its key, which is the leader's turn",
                        s -> with(noKey, s.completeSince(), false, s.now()),
                        Action.WAIT),
                of("the next authority is in no bundle", s -> with(next, null, true, s.now()), Action.WRITE_BUNDLES),
                new Case(
                        "the next has just come into all",
                        s -> with(next, s.now(), true, s.now()),
                        Action.WAIT,
                        TIMES.settle().plusHours(1)),
                of(
                        "the next has settled",
                        s -> with(next, s.now().minus(TIMES.settle()), true, s.now()),
                        Action.SIGN_BY_NEXT),
                of(
                        "the next has settled, which is the leader's turn",
                        s -> with(next, s.now().minus(TIMES.settle()), false, s.now()),
                        Action.WAIT),
                of(
                        "the leaf is due before the next has settled",
                        s -> with(next, day(60), true, day(60)),
                        Action.RENEW_LEAF),
                of(
                        "the next is not among the authorities",
                        s -> late(with(strayNext, s.completeSince(), true, s.now()), true, 3652 - 365),
                        Action.ADD_NEXT));
    }

    /** With a leaf of that day. */
    private static Situation late(Situation situation, boolean leads, int day) {
        VirtualTime then = new VirtualTime();
        then.advance(Duration.ofDays(day - 1));
        KeyedCertificate leaf = new CertificateMaker("hooks", TIMES, then).leaf(AUTHORITY, Set.of(NAME));
        return with(situation.secret().withLeaf(leaf), situation.completeSince(), leads, day(day));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void decides(Case each) {
        Instant now = START.plus(Duration.ofHours(1));
        Situation situation = each.changed.apply(with(FIRST, now, true, now));

        RotationStep step = RotationStep.next(situation, TIMES);

        assertThat(step.action()).isEqualTo(each.expected);
        if (each.next != null) {
            assertThat(step.at()).isEqualTo(START.plus(each.next));
        }
        if (step.action() == Action.WAIT) {
            assertThat(step.at()).isAfter(situation.now());
        }
    }
}
