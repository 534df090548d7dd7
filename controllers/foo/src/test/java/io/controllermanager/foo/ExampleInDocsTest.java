package io.controllermanager.foo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What the reference shows as a test is one that runs here. */
class ExampleInDocsTest {

    @Test
    void isTheTestThatRuns() throws IOException {
        String source = Files.readString(
                Path.of("src", "test", "java", "io", "controllermanager", "foo", "EmbeddedApiServerExampleTest.java"));
        assertThat(Path.of("..", "..", "docs", "embedded-api-server.md"))
                .content()
                .contains(source.substring(source.indexOf("@SpringBootTest(properties")));
    }
}
