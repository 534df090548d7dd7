package io.controllermanager.testing.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class JdkTest {

    /** The tests that need it come last: whoever lacks it hears of it first. */
    @Test
    @Tag("system")
    void theImagesIsThere() throws IOException {
        assertThat(Jdk.ofTheImage().home().resolve("bin/java")).isExecutable();
    }
}
