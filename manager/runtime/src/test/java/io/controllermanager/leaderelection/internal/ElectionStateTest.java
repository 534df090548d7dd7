package io.controllermanager.leaderelection.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What follows from which event: tables of scripts ({@link ElectionScript}), the commands of their last step, and the state
 * after it. The Lease lasts 15 s, leadership 10 s without renewal, an attempt follows the other by 2 s, by 3.2 s for a standby
 * whose chance is one half.
 */
class ElectionStateTest {

    /** An expectation left out is an empty one. */
    private static void check(String script, String commands, String outcome) {
        ElectionScript played = ElectionScript.play(script);
        assertThat(played.commands()).as(script).isEqualTo(commands == null ? "" : commands);
        assertThat(played.outcome()).as(script).isEqualTo(outcome);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 turn                                                   | read         | stands by, tries
            0 turn; 0 missing                                        | create a     | stands by, tries
            0 turn; 0 missing; 0 stored                              | TELL_ACQUIRED | leads, next 2
            0 turn; 0 found -                                        | update a     | stands by, tries
            0 turn; 0 found -; 0 stored                              | TELL_ACQUIRED | leads, next 2
            0 turn; 0 found x                                        |              | stands by, next 3.2
            0 turn; 0 found -; 0 refused                             |              | stands by, next 3.2
            0 turn; 0 found -; 0 failed                              |              | stands by, next 3.2
            0 turn; 0 failed                                         |              | stands by, next 3.2
            # In its own name: its answer was lost, or it is the same process again.
            0 turn; 0 found a                                        | update a     | stands by, tries
            # Told by the watch before the first try.
            0 seen -; 0 turn                                         | update a     | stands by, tries
            0 seen -; 0 turn; 0 refused                              | read         | stands by, tries
            0 seen x; 0 turn                                         | read         | stands by, tries
            # Told while a request was under way.
            0 turn; 0 seen -; 0 found old x                          | update a     | stands by, tries
            0 turn; 0 seen x; 0 found old -                          |              | stands by, next 3.2
            0 turn; 0 found -; 0 seen x; 0 seen -; 0 refused         |              | stands by, next 0
            """)
    void aFirstAttempt(String script, String commands, String outcome) {
        check(script, commands, outcome);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 turn; 0 found x; 3.2 tick                               | work attempt | stands by, tries
            0 turn; 0 found x; 3.1 tick                               |              | stands by, next 3.2
            # The last look before its end comes at the end, and up to 0.1 s later by chance.
            0 turn; 0 found x; 13 tick; 13 turn; 13 found x           |              | stands by, next 16.2
            0 turn; 0 found old x; 13 tick; 13 turn; 13 found old x   |              | stands by, next 15.05
            0 turn; 0 seen x; 0 found old -; 13 retry; 13 turn; 13 failed | | stands by, next 15.05
            0 turn; 0 seen x; 0 failed; 14.9 retry; 14.9 turn; 14.9 failed | | stands by, next 15.05
            # Deleted: its time begins anew, whoever has never seen it makes it.
            0 turn; 0 found x; 14 tick; 14 turn; 14 missing           |              | stands by, next 17.2
            0 turn; 0 found x; 14 tick; 14 turn; 14 missing; 28 retry; 28 turn; 28 missing | | stands by, next 29.05
            0 turn; 0 found x; 14 tick; 14 turn; 14 missing; 29 retry; 29 turn; 29 missing | create a | stands by, tries
            0 turn; 0 found x; 14 deleted x; 28 retry; 28 turn; 28 missing | | stands by, next 29.05
            # Free: spread over 25 ms, an eighth of it at a chance of one half.
            0 turn; 0 found x; 1 seen -                               |              | stands by, next 1.003
            0 turn; 0 found x; 1 seen -; 1.01 seen y                  |              | stands by, next 4.21
            0 turn; 0 found x; 1 seen -; 1.01 tick; 1.01 turn         | update a     | stands by, tries
            0 turn; 0 found x; 1 seen old -                           | DOUBT_STORAGE | stands by, next 3.2
            0 turn; 0 found x; 1 retry                                | work attempt | stands by, tries
            0 turn; 0 found x; 1 resign                               |              | stands by, next 3.2
            """)
    void aStandby(String script, String commands, String outcome) {
        check(script, commands, outcome);
    }

    /** 2147483647 seconds are what a Lease can say at most. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # A duration counts only if it comes with a renewal.
            0 found x*15; 1 seen x*15; 2 seen x!2147483647; 15.9 retry; 15.9 turn; 15.9 failed   |          | stands by, next 16.05
            0 found x*15; 1 seen x*15; 2 seen x!2147483647; 16 retry; 16 turn; 16 found x!2147483647 | update a | stands by, tries
            0 found x*15; 1 seen x*15; 2 seen x!1; 15.9 retry; 15.9 turn; 15.9 failed            |          | stands by, next 16.05
            0 found x*15; 1 seen x*60; 2 seen x*60; 61.9 retry; 61.9 turn; 61.9 failed           |          | stands by, next 62.05
            0 found x*15; 1 seen x*5; 2 seen x*5; 7 retry; 7 turn; 7 found x!5                   | update a | stands by, tries
            # An edit is seen together with a renewal.
            0 found x*15; 1 seen x*15; 2 seen x*2147483647; 17 retry; 17 turn; 17 found x!2147483647 | update a | stands by, tries
            0 found x*15; 2 seen x*2147483647; 4 deleted x!2147483647; 19 retry; 19 turn; 19 missing | create a | stands by, tries
            0 found x*15; 1 seen x*15; 2 seen x*1; 16.9 retry; 16.9 turn; 16.9 failed            |          | stands by, next 17.05
            0 found y*15; 1 seen x*1; 15 retry; 15 turn; 15 failed                               |          | stands by, next 16.05
            # Where none was seen, what it says counts, if that is longer than ours.
            0 found x*60; 59 retry; 59 turn; 59 failed                                           |          | stands by, next 60.05
            0 found x*1; 14 retry; 14 turn; 14 failed                                            |          | stands by, next 15.05
            0 found x*0; 14 retry; 14 turn; 14 failed                                            |          | stands by, next 15.05
            # Edited to somebody else, who has not renewed it.
            0 found x*60; 1 seen x*60; 2 seen z!1; 61 retry; 61 turn; 61 failed                  |          | stands by, next 62.05
            # Taken by somebody else.
            0 found x*60; 1 seen x*60; 2 seen y*15; 16 retry; 16 turn; 16 failed                 |          | stands by, next 17.05
            # Deleted: the longest counts with which its holder was seen to renew it, or ours.
            0 found x*15; 1 seen x*15; 2 seen x!2147483647; 3 deleted x!2147483647; 18 retry; 18 turn; 18 missing | create a | stands by, tries
            0 found x!2147483647; 3 deleted x!2147483647; 17 retry; 17 turn; 17 missing           |          | stands by, next 18.05
            0 found x!2147483647; 3 deleted x!2147483647; 18 retry; 18 turn; 18 missing           | create a | stands by, tries
            0 found x*60; 1 seen x*60; 3 deleted x!1; 62 retry; 62 turn; 62 missing               |          | stands by, next 63.05
            0 found x*60; 1 seen x*60; 2 seen x*15; 3 seen x*15; 4 deleted x!15; 63 retry; 63 turn; 63 missing | | stands by, next 64.05
            0 found x*60; 1 seen x*60; 3 deleted x!60; 63 retry; 63 turn; 63 missing              | create a | stands by, tries
            0 found x*15; 1 seen y*1; 3 deleted y!1; 17 retry; 17 turn; 17 missing                |          | stands by, next 18.05
            0 found x*15; 1 seen y*1; 3 deleted y!1; 18 retry; 18 turn; 18 missing                | create a | stands by, tries
            0 found x*15; 1 seen y*60; 3 deleted y!60; 62 retry; 62 turn; 62 missing              |          | stands by, next 63.05
            0 found x*15; 1 seen y*1; 2 seen y*1; 3 deleted y*1; 4 retry; 4 turn; 4 missing       | create a | stands by, tries
            # In its own name: another may have taken it meanwhile.
            0 found a; 0 stored; 10 tick; 10 turn; 10 missing                                     |          | stands by, next 13.2
            0 found a; 0 stored; 10 tick; 10 turn; 10 missing; 25 retry; 25 turn; 25 missing      | create a | stands by, tries
            """)
    void aDurationCountsWithARenewal(String script, String commands, String outcome) {
        check("0 turn; " + script, commands, outcome);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # Nobody's for a whole duration, whomever it names.
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old a                                  | DOUBT_STORAGE | stands by, next 6.4
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old -                                  | DOUBT_STORAGE | stands by, next 6.4
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old y                                  | DOUBT_STORAGE | stands by, next 6.4
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old a; 18 retry; 18 turn; 18 found old a | | stands by, next 18.25
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old a; 18.2 retry; 18.2 turn; 18.2 found old a | update a | stands by, tries
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old -; 18.2 retry; 18.2 turn; 18.2 found old - | update a | stands by, tries
            0 found x*60; 1 seen x*60; 2 retry; 2 turn; 2 found old a; 61 retry; 61 turn; 61 found old a | | stands by, next 62.05
            # Until somebody has renewed, taken or released it since.
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old -; 4 seen y; 18 retry; 18 turn; 18 failed | | stands by, next 19.05
            0 found x; 3.2 tick; 3.2 turn; 3.2 found old y; 4 seen -                        |          | stands by, next 4.003
            # Who leads by its own memory goes on if the Lease names it, and ends if it does not.
            0 found -; 0 stored; 2 tick; 2 turn; 2 refused; 2 found old a                   | DOUBT_STORAGE, update a | leads, tries
            0 found -; 0 stored; 2 tick; 2 turn; 2 refused; 2 found old a; 2 stored         |          | leads, next 4
            0 found -; 0 stored; 2 tick; 2 turn; 2 refused; 2 found old x                   | DOUBT_STORAGE, TELL_LOST | stands by, next 5.2
            0 found -; 0 stored; 2 tick; 2 turn; 2 refused; 2 found old -                   | DOUBT_STORAGE, TELL_LOST | stands by, next 5.2
            0 found -; 0 stored; 10 tick; 10 turn; 10 found old a                           | DOUBT_STORAGE | stands by, next 13.2
            # To where there was none.
            0 found -; 0 stored; 2 tick; 2 turn; 2 refused; 2 missing                       | create a | leads, tries
            0 found x; 3.2 tick; 3.2 turn; 3.2 missing                                      |          | stands by, next 6.4
            """)
    void aLeaseThatGoesBackToAnOlderState(String script, String commands, String outcome) {
        check("0 turn; " + script, commands, outcome);
    }

    private static final String LEADS = "0 turn; 0 found -; 0 stored; ";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            2 tick                                                | work attempt           | leads, tries
            2 tick; 2 turn                                        | update a               | leads, tries
            2 tick; 2 turn; 3 stored 1                            |                        | leads, next 5
            2 tick; 2 turn; 3 failed                              |                        | leads, next 5
            # Its Lease was edited: it is read, and renewed as it is now.
            2 tick; 2 turn; 2 refused                             | read                   | leads, tries
            2 tick; 2 turn; 2 refused; 2 found a                  | update a               | leads, tries
            2 tick; 2 turn; 2 refused; 2 found a; 2 refused       |                        | leads, next 2.003
            2 tick; 2 turn; 2 refused; 2 missing                  | create a               | leads, tries
            2 tick; 2 turn; 2 refused; 2 found x                  | TELL_LOST               | stands by, next 5.2
            2 tick; 2 turn; 2 refused; 2 found -                  | TELL_LOST, update a     | stands by, tries
            # The watch tells.
            1 seen x                                              | TELL_LOST               | stands by, next 2
            1 seen -                                              | TELL_LOST               | stands by, next 1.003
            1 seen a                                              |                        | leads, next 2
            1 seen old x                                          | DOUBT_STORAGE | leads, next 2
            1 deleted a                                           |                        | leads, next 1.003
            1 deleted old x                                       |                        | leads, next 2
            1 deleted a; 2 tick; 2 turn                           | read                   | leads, tries
            2 tick; 2 turn; 2 deleted a; 2 stored                 |                        | leads, next 2
            # What was told is newer than an answer that comes late.
            1 resign; 1 turn release; 2 seen x; 3 deleted x; 4 stored old; 7.2 tick; 7.2 turn; 7.2 missing | | stands by, next 10.4
            1 resign; 1 turn release; 2 seen x; 4 stored old      |                        | stands by, next 7.2
            # The deadline: 10 s after the last successful renewal was sent.
            9.999 tick                                            | work attempt           | leads, tries
            2 tick; 2 turn; 9.999 tick                            |                        | leads, tries
            2 tick; 2 turn; 10 tick                               | TELL_LOST               | stands by, tries
            2 tick; 2 turn; 3 stored 1; 11.9 retry                | work attempt           | leads, tries
            2 tick; 2 turn; 3 stored 1; 12 retry                  | TELL_LOST, work attempt | stands by, tries
            # An answer that comes later proves nothing.
            2 tick; 2 turn; 10 tick; 13 stored 11                 |                        | stands by, next 16.2
            2 tick; 2 turn; 13 stored 11                          | TELL_LOST               | stands by, next 16.2
            2 tick; 2 turn; 10 tick; 11 stored 9                  | TELL_ACQUIRED           | leads, next 13
            # After a loss it leads on as soon as it has renewed, having read the Lease.
            10 tick; 10 turn                                      | read                   | stands by, tries
            10 tick; 10 turn; 10 found a                          | update a               | stands by, tries
            10 tick; 10 turn; 10 found a; 10 stored               | TELL_ACQUIRED           | leads, next 12
            """)
    void aLeader(String script, String commands, String outcome) {
        check(LEADS + script, commands, outcome);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            1 stop                                                | TELL_LOST, release | stands by
            1 stop; 1 turn release                                | update -          | stands by
            1 stop; 1 turn release; 1 stored                      | END               | stands by
            1 stop; 1 turn working                                | END               | stands by
            1 stop; 1 seen x; 2 tick                              |                   | stands by
            1 stop; 1 retry                                       |                   | stands by
            1 stop; 1 turn release; 1 refused                     | read              | stands by
            1 stop; 1 turn release; 1 refused; 1 found a          | update -          | stands by
            1 stop; 1 turn release; 1 refused; 1 found x          | END               | stands by
            1 stop; 1 turn release; 1 refused; 1 missing          | END               | stands by
            1 stop; 1 turn release; 1 failed                      | read              | stands by
            1 stop; 1 turn release; 1 failed; 1 failed            | update -          | stands by
            1 stop; 1 turn release; 1 failed; 1 found -           | END               | stands by
            # Three tries.
            1 stop; 1 turn release; 1 failed; 1 failed; 1 failed; 1 failed; 1 failed           | read | stands by
            1 stop; 1 turn release; 1 failed; 1 failed; 1 failed; 1 failed; 1 failed; 1 failed | END  | stands by
            # In the midst of an attempt, which is answered first.
            2 tick; 2 turn; 2 stop; 2 stored                      |                   | stands by
            2 tick; 2 turn; 2 stop; 2 refused                     |                   | stands by
            2 tick; 2 turn; 2 stop; 2 stored; 2 turn release      | update -          | stands by
            2 tick; 2 stop; 2 turn                                |                   | stands by
            # To compete again afterwards.
            1 resign                                              | TELL_LOST, release | stands by
            1 resign; 1 resign                                    |                   | stands by
            1 resign; 1 retry                                     |                   | stands by
            1 resign; 1 turn release; 1 stored                    |                   | stands by, next 4.2
            1 resign; 1 turn working                              |                   | stands by, next 4.2
            1 resign; 1 turn release; 1 seen -; 1 stored          |                   | stands by, next 4.2
            1 resign; 1 turn release; 1 stop; 1 stored            |                   | stands by
            1 resign; 1 turn release; 1 stop; 1 stored; 1 turn release | END          | stands by
            """)
    void aLeaderThatStopsOrResigns(String script, String commands, String outcome) {
        check(LEADS + script, commands, outcome);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # A standby asks the holder.
            0 found x; 1 ask                                      | work ask      | stands by, next 3.2
            0 found x; 1 turn ask; 1 found x                      | update x?a           | stands by, next 3.2
            0 found x; 1 turn ask; 1 found x?b                    |                      | stands by, next 3.2
            0 found x; 1 turn ask; 1 found -                      |                      | stands by, next 3.2
            0 found x; 1 turn ask; 1 found x; 1 stored; 1 unask   | work unask | stands by, next 3.2
            0 found x?a; 1 turn unask; 1 found x?a                | update x             | stands by, next 3.2
            # Not by a Lease that has gone back: its new version would hide that from others.
            0 found x; 1 turn ask; 1 found old x                  | DOUBT_STORAGE        | stands by, next 3.2
            0 found x; 1 unask                                    |                      | stands by, next 3.2
            0 found x?a; 1 stop                                   | work unask, release | stands by
            0 found -; 0 stored; 1 ask                            |                      | leads, next 2
            # A holder hands it over to one that has less to do.
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b       | hand over b          | leads, next 2
            0 found -; 0 stored; 0 shares ahead leaving; 1 seen a?b; 2 tick; 2 turn | update a?b | leads, tries
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b; 2 tick; 2 turn | hand over b, update a?b | leads, tries
            0 found -; 0 stored; 1 seen a?b                       | work attempt         | leads, tries
            0 found -; 0 stored; 1 seen a?b; 1 turn               | update a             | leads, tries
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b; 1 refuse b | work attempt   | leads, tries
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b; 1 refuse b; 1 turn | update a | leads, tries
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b; 1 seen a?c; 1 refuse b |    | leads, next 2
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b; 1 seen x; 1 refuse b |      | stands by, next 2
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b; 9 tick; 9 turn; 9 stored; 18 tick; 18 turn; 18 stored; 21 tick; 21 turn | hand over b, update a?b | leads, tries
            0 found -; 0 stored; 0 shares ahead; 1 seen a?b; 9 tick; 9 turn; 9 stored; 18 tick; 18 turn; 18 stored; 21.1 tick; 21.1 turn | update a | leads, tries
            # A free Lease is left to whoever asked for it, and to those who hold fewer.
            0 found x; 1 seen -?a                                 |                      | stands by, next 1.003
            0 found x; 1 seen -?b                                 |                      | stands by, next 2.003
            0 found x; 1 seen -?b; 1.5 retry; 1.5 turn            | read                 | stands by, tries
            0 found x; 1 seen -?b; 2.1 retry; 2.1 turn            | update a             | stands by, tries
            0 found x; 1 unwatched; 1 seen -?b; 2.1 retry; 2.1 turn | read               | stands by, tries
            0 found x; 0 shares ahead; 1 seen -                   |                      | stands by, next 1.103
            # Whoever stands aside only looks.
            0 found x; 0 shares aside; 1 seen -; 2 tick; 2 turn   | read                 | stands by, tries
            0 found x; 0 shares aside; 1 ask                      |                      | stands by, next 3.2
            0 found -; 0 stored; 0 shares aside; 2 tick; 2 turn   | update a             | leads, tries
            """)
    void oneThatSharesLeases(String script, String commands, String outcome) {
        check("0 shares; 0 turn; " + script, commands, outcome);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # A Lease that somebody holds, or of which nothing is known.
            0 unwatched                                                     | WARN
            0 turn; 0 found x; 1 unwatched                                  | WARN
            0 turn; 0 found x; 1 unwatched; 2 unwatched                     |
            0 turn; 0 found x; 1 unwatched; 2 watched                       | INFO
            0 turn; 0 found x; 1 watched                                    |
            0 turn; 0 found -; 0 stored; 1 unwatched                        | WARN
            # One that nobody renews says nothing, and its watch ends for that.
            0 seen -; 1 unwatched                                           | DEBUG
            0 seen -; 1 unwatched; 2 unwatched                              |
            0 seen -; 1 unwatched; 2 watched                                | DEBUG
            0 seen x; 1 deleted x; 2 unwatched                              | DEBUG
            0 turn; 0 missing; 0 failed; 1 unwatched                        | DEBUG
            0 seen -; 1 unwatched; 2 seen x; 3 watched                      | INFO
            # A right that is missing is missing whoever holds it.
            0 seen -; 1 unpermitted                                         | WARN
            0 turn; 0 missing; 0 failed; 1 unpermitted                      | WARN
            0 turn; 0 found x; 1 unpermitted                                | WARN
            # Nor does it matter once the election ends.
            0 turn; 0 found x; 1 stop; 2 unwatched                          |
            """)
    void aWatchThatIsInterrupted(String script, String levels) {
        assertThat(ElectionScript.play(script).levels()).isEqualTo(levels == null ? "" : levels);
    }

    /** Where the Lease lasts longer than ours: as long as ours it is not worth a line. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0 found x*60; 39.9 retry; 39.9 turn; 39.9 found x!60                                             |
            0 found x*60; 40 retry; 40 turn; 40 found x!60                                                   | WARN
            0 found x*60; 40 retry; 40 turn; 40 found x!60; 42 retry; 42 turn; 42 found x!60                 |
            0 found x*60; 40 retry; 40 turn; 40 found x!60; 42 seen x*60; 81 retry; 81 turn; 81 found x!60   |
            0 found x*60; 40 retry; 40 turn; 40 found x!60; 42 seen x*60; 82 retry; 82 turn; 82 found x!60   | WARN
            0 found x*18; 14.9 retry; 14.9 turn; 14.9 found x!18                                             |
            0 found x*60; 60 retry; 60 turn; 60 found x!60                                                   |
            0 found x*15; 15 retry; 15 turn; 15 found x!15                                                   |
            """)
    void aSilentHolderIsSaidOnce(String script, String levels) {
        ElectionScript played = ElectionScript.play("0 turn; " + script);
        assertThat(played.levels()).isEqualTo(levels == null ? "" : levels);
        if (levels != null) {
            assertThat(played.lastLine())
                    .contains(
                            ": x has not renewed it for 40 s; unless it is renewed, it can be taken in 20 s, since it lasts 60 s");
        }
    }

    @Test
    void leadershipIsProvenForTheRenewDeadlineAfterTheRequestWasSent() {
        ElectionState state = ElectionScript.play("0 turn; 0 found -; 4 stored 3").state;

        assertThat(state.isLeading(ElectionScript.nanos(10.999))).isTrue();
        assertThat(state.isLeading(ElectionScript.nanos(11))).isFalse();
    }

    @Test
    void aPlainElectionKnowsOfNoWishes() {
        ElectionScript led = ElectionScript.play(LEADS + "1 seen a?b");
        ElectionScript free = ElectionScript.play("0 turn; 0 found -?b");

        assertThat(led.commands()).isEmpty();
        assertThat(free.commands()).isEqualTo("update a");
    }

    @Test
    void notesStandUntilAnotherHasTakenTheLease() {
        String left = "0 turn; 0 found -; 0 stored; 1 resign; 1 turn release; 1 stored; ";
        assertThat(ElectionScript.play(left + "1 seen old x").state.notes).containsEntry("k", "v");
        assertThat(ElectionScript.play(left + "1 seen a").state.notes).containsEntry("k", "v");
        assertThat(ElectionScript.play(left + "1 seen x").state.notes).isEmpty();
    }
}
