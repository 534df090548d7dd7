package io.controllermanager.maven;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A copy of what each controller of an application declares, for a folder that has to stand alone, such as a chart. */
final class RightsCopyGenerator implements Generator {

    @Override
    public Map<String, String> generate(CompiledModule module) {
        return DeclaredRights.on(module.loader());
    }

    @Override
    public List<String> breaks(String committed, @Nullable String generated) {
        return List.of();
    }
}
