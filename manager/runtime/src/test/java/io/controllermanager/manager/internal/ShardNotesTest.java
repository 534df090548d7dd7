package io.controllermanager.manager.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which written versions go with which Lease. */
class ShardNotesTest {

    private static final Map<String, String> WRITTEN = Map.of(
            "secrets", "1",
            "pods/ns", "2",
            "configmaps#1-of-16", "3",
            "configmaps#11-of-16", "4",
            "configmaps/ns#1-of-16", "5",
            "configmaps#any-of-16", "6",
            "configmaps#1-of-8", "7",
            "configmaps#any-of-8", "8");

    @Test
    void aShardsLeaseCarriesWhatIsWholeAndWhatIsItsOwnOrOfNoShard() {
        assertThat(ShardNotes.ofShard(WRITTEN, 1, 16))
                .isEqualTo(Map.of(
                        "secrets", "1",
                        "pods/ns", "2",
                        "configmaps#1-of-16", "3",
                        "configmaps/ns#1-of-16", "5",
                        "configmaps#any-of-16", "6"));
    }

    @Test
    void anotherLeaseCarriesWhatIsWhole() {
        assertThat(ShardNotes.ofShard(WRITTEN, 0, 1)).isEqualTo(Map.of("secrets", "1", "pods/ns", "2"));
    }
}
