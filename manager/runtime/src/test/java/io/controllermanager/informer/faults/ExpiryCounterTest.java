package io.controllermanager.informer.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpiryCounterTest {

    /** A bar stands for the end of a read. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "'{\"code\":410}', 1",
                "'{\"code\":411}{\"code\":200}', 0",
                "'{\"code\":410}{\"code\":410}', 2",
                "'{\"co|de\":4|10}', 1",
                "'{\"\"code\":410}', 1",
                "'{\"co\\r\\n1f\\r\\nde\":410}', 1",
                "'{\"code\":41\\r|\\n1|f\\r|\\n0}', 1",
                "'{\"code\":4\\r\\n2\\r\\n1\\r\\n2\\r\\n0}', 1",
                "'ETag: \"1\"\\r\\n\\r\\n{\"code\":410}', 1",
                "'{\"code\":4\\r\\n10\\r\\n}', 0",
            })
    void countsWhatTheServerSays(String sent, int expected) {
        ExpiryCounter counter = new ExpiryCounter();
        int found = 0;
        for (String read : sent.replace("\\r", "\r").replace("\\n", "\n").split("\\|")) {
            byte[] bytes = read.getBytes(StandardCharsets.ISO_8859_1);
            found += counter.count(bytes, bytes.length);
        }
        assertThat(found).isEqualTo(expected);
    }
}
