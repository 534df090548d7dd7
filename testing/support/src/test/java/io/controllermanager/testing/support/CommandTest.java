package io.controllermanager.testing.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CommandTest {

    @TempDir
    Path directory;

    @Test
    void givesWhatAProgramWroteToBothStreams() {
        String[] words = {"/bin/sh", "-c", "read line; echo $line $WORD; echo bad >&2; pwd"};

        String output = Command.run(directory, Map.of("WORD", "b"), "a\n", words);

        assertThat(output).isEqualTo("a b\nbad\n" + directory + "\n");
    }

    @Test
    void givesTheExitCodeOfOneThatFails() {
        String[] words = {"/bin/sh", "-c", "echo no; exit 3"};

        assertThat(Command.tryTo(directory, Map.of(), "", words)).isEqualTo(new Command(3, "no\n", ""));
        assertThatThrownBy(() -> Command.run(directory, Map.of(), "", words))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("exit 3", "no\n");
    }
}
