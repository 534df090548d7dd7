package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the reference shows as a test is one that runs here. */
class ExampleInDocsTest {

    @ParameterizedTest
    @CsvSource({
        "EmbeddedApiServerExampleTest, @SpringBootTest(properties, <end>",
        "RightsExampleTest, @SpringBootTest(properties, <end>",
        "ApiServerBeanExampleTest, static class TestFooApplication, @Test"
    })
    void isTheTestThatRuns(String test, String from, String to) throws IOException {
        String source = Files.readString(
                        Path.of("src", "test", "java", "io", "controllermanager", "foo", test + ".java"))
                .concat("<end>");
        int start = source.indexOf(from);
        String example = source.substring(start, source.indexOf(to, start));
        assertThat(Files.readString(Path.of("..", "..", "docs", "embedded-api-server.md"))
                        .replaceAll("(?m)^ +", ""))
                .contains(example.strip().replaceAll("(?m)^ +", ""));
    }
}
