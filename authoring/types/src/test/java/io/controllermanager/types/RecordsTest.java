package io.controllermanager.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordsTest {

    private record Status(@Nullable String phase, int replicas) {

        Status {
            if (replicas < 0) {
                throw new IllegalArgumentException("replicas must not be negative");
            }
        }

        String shown() {
            return phase + " " + replicas;
        }
    }

    @Test
    void changesOneComponent() {
        Status status = new Status("Ready", 1);

        assertThat(Records.with(status, Status::phase, null)).isEqualTo(new Status(null, 1));
        assertThat(Records.with(status, Status::replicas, 2)).isEqualTo(new Status("Ready", 2));
        assertThat(status).isEqualTo(new Status("Ready", 1));
    }

    @Test
    void refusesWhatIsNoComponentOrNoValueForIt() {
        Status status = new Status("Ready", 1);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> Records.with(status, Status::shown, "a"))
                .withMessageEndingWith("$Status, such as Status::phase, but is shown");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Records.with(status, Status::replicas, -1))
                .withMessageContaining("replicas must not be negative");
    }
}
