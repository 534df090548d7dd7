package io.controllermanager.spring.actuate.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.testing.support.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CachedReviewsTests {

    private static final Caller ALICE = new Caller("alice", "1", List.of("people"), Map.of("k", List.of("v")));

    private final SettableClock clock = new SettableClock(Long.MAX_VALUE - 1);
    private final Asked asked = new Asked();
    private final CachedReviews reviews = new CachedReviews(
            asked,
            clock,
            new CachedReviews.Lifetimes(Duration.ofMinutes(1), Duration.ofMinutes(5), Duration.ofSeconds(30)));

    @Test
    void aTokenIsReviewedOnceAMinute() throws Exception {
        assertThat(reviews.authenticate("alice")).isEqualTo(ALICE);
        clock.advance(Duration.ofSeconds(59));
        assertThat(reviews.authenticate("alice")).isEqualTo(ALICE);
        assertThat(asked.questions).containsExactly("alice");
        clock.advance(Duration.ofSeconds(1));
        assertThat(reviews.authenticate("alice")).isEqualTo(ALICE);
        assertThat(asked.questions).containsExactly("alice", "alice");
    }

    @Test
    void aWrongTokenIsReviewedOnceAMinuteToo() throws Exception {
        assertThat(reviews.authenticate("mallory")).isNull();
        clock.advance(Duration.ofSeconds(59));
        assertThat(reviews.authenticate("mallory")).isNull();
        assertThat(asked.questions).containsExactly("mallory");
        clock.advance(Duration.ofSeconds(1));
        assertThat(reviews.authenticate("mallory")).isNull();
        assertThat(asked.questions).hasSize(2);
    }

    @Test
    void aPermissionHoldsLongerThanARefusal() throws Exception {
        assertThat(reviews.isAllowed(ALICE, "get", "/allowed")).isTrue();
        assertThat(reviews.isAllowed(ALICE, "get", "/denied")).isFalse();
        assertThat(reviews.isAllowed(ALICE, "post", "/allowed")).isTrue();
        clock.advance(Duration.ofSeconds(29));
        assertThat(reviews.isAllowed(ALICE, "get", "/denied")).isFalse();
        assertThat(asked.questions).containsExactly("alice get /allowed", "alice get /denied", "alice post /allowed");
        asked.questions.clear();
        clock.advance(Duration.ofSeconds(1));
        assertThat(reviews.isAllowed(ALICE, "get", "/denied")).isFalse();
        assertThat(reviews.isAllowed(ALICE, "get", "/allowed")).isTrue();
        assertThat(asked.questions).containsExactly("alice get /denied");
        clock.advance(Duration.ofMinutes(5));
        assertThat(reviews.isAllowed(ALICE, "get", "/allowed")).isTrue();
        assertThat(asked.questions).containsExactly("alice get /denied", "alice get /allowed");
    }

    @Test
    void somebodyElseOfTheSameNameIsAskedForAnew() throws Exception {
        reviews.isAllowed(ALICE, "get", "/allowed");
        reviews.isAllowed(new Caller("alice", "2", ALICE.groups(), ALICE.extra()), "get", "/allowed");
        reviews.isAllowed(new Caller("alice", "1", List.of(), ALICE.extra()), "get", "/allowed");
        reviews.isAllowed(new Caller("alice", "1", ALICE.groups(), Map.of()), "get", "/allowed");
        assertThat(asked.questions).hasSize(4);
    }

    @Test
    void whatFailedIsAskedAgainAndWhatIsKnownIsNot() throws Exception {
        reviews.authenticate("alice");
        asked.failing = true;
        assertThat(reviews.authenticate("alice")).isEqualTo(ALICE);
        assertThatThrownBy(() -> reviews.authenticate("bob")).isInstanceOf(ReviewFailedException.class);
        asked.failing = false;
        assertThat(reviews.authenticate("bob")).isNull();
    }

    @Test
    void wrongTokensDoNotPushOutTheOnesInUse() throws Exception {
        reviews.authenticate("alice");
        for (int i = 0; i < ReviewCache.MAXIMUM_SIZE + 1; i++) {
            reviews.authenticate("wrong" + i);
        }
        asked.questions.clear();
        reviews.authenticate("alice");
        reviews.authenticate("wrong" + ReviewCache.MAXIMUM_SIZE);
        assertThat(asked.questions).isEmpty();
        reviews.authenticate("wrong0");
        assertThat(asked.questions).containsExactly("wrong0");
    }

    @Test
    void aStormOfEqualTokensIsOneReview() throws Exception {
        asked.gate = new CountDownLatch(1);
        List<Future<Caller>> answers = new ArrayList<>();
        var threads = Executors.newFixedThreadPool(8);
        try {
            for (int i = 0; i < 8; i++) {
                answers.add(threads.submit(() -> reviews.authenticate("alice")));
            }
            Waiting.on(asked.begun);
            asked.gate.countDown();
            for (Future<Caller> answer : answers) {
                assertThat(Waiting.on(answer)).isEqualTo(ALICE);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(asked.questions).containsExactly("alice");
    }

    @Test
    void tooManyAtOnceAreRefusedRatherThanHeldUp() throws Exception {
        asked.gate = new CountDownLatch(1);
        asked.begun = new CountDownLatch(ReviewCache.MAXIMUM_REQUESTS);
        List<Future<Caller>> held = new ArrayList<>();
        var threads = Executors.newFixedThreadPool(ReviewCache.MAXIMUM_REQUESTS);
        try {
            for (int i = 0; i < ReviewCache.MAXIMUM_REQUESTS; i++) {
                String token = "wrong" + i;
                held.add(threads.submit(() -> reviews.authenticate(token)));
            }
            Waiting.on(asked.begun);
            assertThatThrownBy(() -> reviews.authenticate("one more"))
                    .isInstanceOf(ReviewFailedException.class)
                    .hasMessageContaining("too many");
            asked.gate.countDown();
            for (Future<Caller> answer : held) {
                assertThat(Waiting.on(answer)).isNull();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(reviews.authenticate("one more")).isNull();
    }

    @Test
    void equalTokensDoNotTakeAllThreadsOfAWebServerEither() throws Exception {
        asked.gate = new CountDownLatch(1);
        List<Future<Caller>> held = new ArrayList<>();
        var threads = Executors.newFixedThreadPool(ReviewCache.MAXIMUM_WAITING + 1);
        try {
            for (int i = 0; i < ReviewCache.MAXIMUM_WAITING + 1; i++) {
                held.add(threads.submit(() -> reviews.authenticate("alice")));
            }
            Awaitility.await("one is refused").until(() -> held.stream().anyMatch(Future::isDone));
            asked.gate.countDown();
            int refused = 0;
            for (Future<Caller> answer : held) {
                try {
                    assertThat(Waiting.on(answer)).isEqualTo(ALICE);
                } catch (ExecutionException e) {
                    assertThat(e).rootCause().hasMessageContaining("too many");
                    refused++;
                }
            }
            assertThat(refused).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
        assertThat(asked.questions).containsExactly("alice");
    }

    @Test
    void longPathsAndVerbsAreNotKeptAndCountAgainstTheLimitToo() throws Exception {
        String path = "/allowed/" + "x".repeat(CachedReviews.MAXIMUM_LENGTH);
        assertThat(reviews.isAllowed(ALICE, "get", path)).isTrue();
        assertThat(reviews.isAllowed(ALICE, "get", path)).isTrue();
        assertThat(reviews.isAllowed(ALICE, path, "/allowed")).isTrue();
        assertThat(reviews.isAllowed(ALICE, path, "/allowed")).isTrue();
        assertThat(asked.questions).hasSize(4);

        asked.gate = new CountDownLatch(1);
        asked.begun = new CountDownLatch(ReviewCache.MAXIMUM_REQUESTS);
        List<Future<Boolean>> held = new ArrayList<>();
        var threads = Executors.newFixedThreadPool(ReviewCache.MAXIMUM_REQUESTS);
        try {
            for (int i = 0; i < ReviewCache.MAXIMUM_REQUESTS; i++) {
                held.add(threads.submit(() -> reviews.isAllowed(ALICE, "get", path)));
            }
            Waiting.on(asked.begun);
            assertThatThrownBy(() -> reviews.isAllowed(ALICE, "get", path))
                    .isInstanceOf(ReviewFailedException.class)
                    .hasMessageContaining("too many");
            asked.gate.countDown();
            for (Future<Boolean> answer : held) {
                assertThat(Waiting.on(answer)).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void nothingIsKeptForNoTime() throws Exception {
        CachedReviews none = new CachedReviews(
                asked, clock, new CachedReviews.Lifetimes(Duration.ZERO, Duration.ZERO, Duration.ZERO));
        none.authenticate("alice");
        none.authenticate("alice");
        none.isAllowed(ALICE, "get", "/allowed");
        none.isAllowed(ALICE, "get", "/allowed");
        assertThat(asked.questions).hasSize(4);
    }

    /** Knows alice, and allows her what begins with /allowed. */
    private static final class Asked implements AccessReviews {

        final List<String> questions = new CopyOnWriteArrayList<>();
        volatile boolean failing;
        volatile CountDownLatch gate = new CountDownLatch(0);
        volatile CountDownLatch begun = new CountDownLatch(1);

        @Override
        public @Nullable Caller authenticate(String token) throws ReviewFailedException {
            question(token);
            return token.equals("alice") ? ALICE : null;
        }

        @Override
        public boolean isAllowed(Caller caller, String verb, String path) throws ReviewFailedException {
            question(caller.name() + " " + verb + " " + path);
            return path.startsWith("/allowed");
        }

        private void question(String text) throws ReviewFailedException {
            questions.add(text);
            begun.countDown();
            try {
                gate.await();
            } catch (InterruptedException e) {
                throw new ReviewFailedException("interrupted", "interrupted", e);
            }
            if (failing) {
                throw new ReviewFailedException("away", "away", null);
            }
        }
    }
}
