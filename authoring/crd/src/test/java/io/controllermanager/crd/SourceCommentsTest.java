package io.controllermanager.crd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceCommentsTest {

    @TempDir
    Path folder;

    private Map<String, String> read(String source) throws IOException {
        Files.writeString(Files.createDirectories(folder.resolve("a/b")).resolve("Any.java"), source);
        return SourceComments.of(List.of(folder, folder.resolve("missing")), StandardCharsets.UTF_8)
                .texts();
    }

    @Test
    void readsTypesComponentsAndFields() throws IOException {
        assertThat(read("""
                package a.b;

                /** An outer one. */
                public final class Outer extends Missing<Unknown> {

                    /** A field
                     * of two lines. */
                    @Anything private String field;

                    // no documentation
                    int silent;

                    /**
                     * A record.
                     *
                     * @param <T> not a component
                     * @param first the first,
                     *     on two lines
                     */
                    record Inner<T>(String first, T second) {

                        /** Deep. */
                        enum Deep { A }
                    }
                }

                /** Beside it. */
                interface Beside {}
                """))
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "a.b.Outer", "An outer one.",
                        "a.b.Outer#field", "A field of two lines.",
                        "a.b.Outer$Inner", "A record.",
                        "a.b.Outer$Inner#first", "the first, on two lines",
                        "a.b.Outer$Inner$Deep", "Deep.",
                        "a.b.Beside", "Beside it."));
    }

    @Test
    void leavesOutMarkUp() throws IOException {
        assertThat(read("""
                /**
                 * {@code a < b}, {@literal <c>}, {@link java.util.Map.Entry}, {@link #own()}, {@linkplain Any#of(int) the label},
                 * {@link java.util.List#of}, 2<sup>16</sup>, <b>bold</b> &amp; &lt;entity&gt;.
                 *
                 * <p>A paragraph.
                 * <ul><li>One.</li><li>Two.</li></ul>
                 *
                 * @see Nothing
                 */
                class Any {}
                """))
                .containsExactly(Map.entry(
                        "Any",
                        "a < b, <c>, Map.Entry, own(), the label, List.of, 2^16, bold & <entity>."
                                + " A paragraph. One. Two."));
    }

    @Test
    void readsWhatDoesNotCompile() throws IOException {
        assertThat(read("/** Kept. */ class Any { int x = ; } class {")).containsEntry("Any", "Kept.");
    }
}
