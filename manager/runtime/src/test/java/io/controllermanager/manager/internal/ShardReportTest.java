package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** In which words shards are told of. */
class ShardReportTest {

    @Test
    void numbersInARowAreARange() {
        assertThat(ShardReport.ranges(List.of())).isEmpty();
        assertThat(ShardReport.ranges(List.of(0))).isEqualTo("0");
        assertThat(ShardReport.ranges(List.of(0, 1, 2, 4, 6, 7))).isEqualTo("0-2, 4, 6-7");
    }
}
