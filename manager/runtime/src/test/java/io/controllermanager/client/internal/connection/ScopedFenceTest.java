package io.controllermanager.client.internal.connection;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.controllermanager.client.internal.connection.WriteFence.WriteRefusedException;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Which fence decides. */
class ScopedFenceTest {

    private static final WriteFence CLOSED = closed("closed");

    @Test
    void withinAScopeItsFenceDecides() {
        ScopedFence fence = new ScopedFence(CLOSED);

        assertThatCode(within(fence, WriteFence.open(), fence::checkWrite)).doesNotThrowAnyException();
        assertThatThrownBy(fence::checkWrite).hasMessage("closed");
    }

    @Test
    void theCommonFenceDoesNotHelpAScopeWhoseOwnIsClosed() {
        ScopedFence fence = new ScopedFence(WriteFence.open());

        assertThatThrownBy(within(fence, CLOSED, fence::checkWrite)).hasMessage("closed");
        assertThatCode(fence::checkWrite).doesNotThrowAnyException();
    }

    @Test
    void aScopeWithinAScopeEndsWithIt() {
        ScopedFence fence = new ScopedFence(WriteFence.open());

        assertThatThrownBy(within(fence, closed("outer"), () -> {
                    assertThatThrownBy(within(fence, closed("inner"), fence::checkWrite))
                            .hasMessage("inner");
                    fence.checkWrite();
                }))
                .hasMessage("outer");
    }

    @Test
    void aScopeEndsWithAnException() {
        ScopedFence fence = new ScopedFence(WriteFence.open());

        assertThatIllegalStateException()
                .isThrownBy(() -> fence.within(CLOSED, () -> {
                    throw new IllegalStateException();
                }));
        assertThatCode(fence::checkWrite).doesNotThrowAnyException();
    }

    @Test
    void anotherThreadIsInNoScope() {
        ScopedFence fence = new ScopedFence(WriteFence.open());

        assertThatCode(within(
                        fence,
                        CLOSED,
                        () -> CompletableFuture.runAsync(() -> checkOnThisThread(fence))
                                .join()))
                .doesNotThrowAnyException();
    }

    private static void checkOnThisThread(WriteFence fence) {
        try {
            fence.checkWrite();
        } catch (WriteRefusedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static WriteFence closed(String reason) {
        return () -> {
            throw new WriteRefusedException(reason);
        };
    }

    /** What is thrown within is thrown as it is. */
    private static ThrowingCallable within(ScopedFence fence, WriteFence own, ThrowingCallable work) {
        return () -> {
            Throwable thrown = fence.within(own, () -> {
                try {
                    work.call();
                    return new Throwable("nothing");
                } catch (Throwable e) {
                    return e;
                }
            });
            if (!"nothing".equals(thrown.getMessage())) {
                throw thrown;
            }
        };
    }
}
