package io.controllermanager.maven;

import java.util.Map;
import java.util.TreeMap;

/** A copy of what each controller of an application declares, for a folder that has to stand alone, such as a chart. */
final class RightsCopyGenerator implements Generator {

    @Override
    public Map<String, String> generate(CompiledModule module) {
        Map<String, String> files = new TreeMap<>();
        DeclaredRights.on(module.runtime()).forEach((name, rights) -> files.put(name, rights.text()));
        return files;
    }
}
