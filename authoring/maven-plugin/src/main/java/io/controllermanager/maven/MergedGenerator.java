package io.controllermanager.maven;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The generators that write to one folder.
 *
 * @param all the generators, in order
 */
record MergedGenerator(List<Generator> all) implements Generator {

    @Override
    public Map<String, String> generate(CompiledModule module) {
        Map<String, String> files = new TreeMap<>();
        for (Generator generator : all) {
            generator.generate(module).forEach((name, text) -> {
                if (files.put(name, text) != null) {
                    throw new IllegalArgumentException(name + " is made twice in one folder");
                }
            });
        }
        return files;
    }

    @Override
    public List<String> breaks(String committed, @Nullable String generated) {
        return all.stream()
                .flatMap(generator -> generator.breaks(committed, generated).stream())
                .toList();
    }

    /** Whether each file in the folder is a copy of rights. */
    boolean onlyCopies() {
        return all.stream().allMatch(RightsCopyGenerator.class::isInstance);
    }
}
