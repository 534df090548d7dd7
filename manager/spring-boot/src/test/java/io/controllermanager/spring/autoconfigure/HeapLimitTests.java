package io.controllermanager.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapLimitTests {

    @ParameterizedTest
    @CsvSource(textBlock = """
                    -XX:+ExitOnOutOfMemoryError,     ends
                    -XX:+CrashOnOutOfMemoryError,    ends
                    -XX:-ExitOnOutOfMemoryError,     'goes on without what failed, unless Java has -XX:+ExitOnOutOfMemoryError'
                    -XX:+HeapDumpOnOutOfMemoryError, 'goes on without what failed, unless Java has -XX:+ExitOnOutOfMemoryError'
                    """)
    void saysWhatComesWhenTheHeapIsFull(String option, String comes) {
        assertThat(HeapLimit.of(300L << 20, List.of("-Xmx300m", option)).inWords())
                .isEqualTo("The heap may grow to 300 MiB; when it is full the process " + comes);
    }

    @Test
    void knowsItsOwnProcess() {
        assertThat(HeapLimit.ofThisProcess().bytes())
                .isEqualTo(Runtime.getRuntime().maxMemory());
    }
}
