package io.controllermanager.maven;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes files from a module's classes. */
interface Generator {

    /**
     * The texts of the files by their names.
     *
     * @throws IllegalArgumentException if no file can be made of a class; the message names it
     */
    Map<String, String> generate(CompiledModule module);

    /**
     * What goes wrong with what is in use once the new text replaces the committed one, a line each; empty if nothing does,
     * as with rights, which can be given and taken at any time.
     *
     * @param generated null if no class makes the file any more
     * @throws IllegalArgumentException if the committed text cannot be read
     */
    default List<String> breaks(String committed, @Nullable String generated) {
        return List.of();
    }
}
