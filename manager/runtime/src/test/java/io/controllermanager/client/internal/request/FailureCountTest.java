package io.controllermanager.client.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FailureCountTest {

    @Test
    void theFirstSecondFourthEighthAreLogged() {
        FailureCount count = new FailureCount();
        assertThat(LongStream.rangeClosed(1, 20).map(i -> count.next()).filter(n -> n > 0))
                .containsExactly(1L, 2L, 4L, 8L, 16L);
        assertThat(count.total()).isEqualTo(20);
    }
}
