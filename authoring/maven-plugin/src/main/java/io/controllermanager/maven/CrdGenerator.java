package io.controllermanager.maven;

import io.controllermanager.crd.Comments;
import io.controllermanager.crd.Compatibility;
import io.controllermanager.crd.CustomResourceDefinition;
import io.controllermanager.crd.SourceComments;
import io.controllermanager.types.CustomResource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** CRDs from classes with {@code @CustomResource}, each in the file {@code <plural>.<group>.yaml}. */
final class CrdGenerator implements Generator {

    @Override
    public Map<String, String> generate(CompiledModule module) {
        List<Class<?>> types = AnnotatedClasses.in(module, CustomResource.class);
        Comments comments = types.isEmpty() ? Comments.NONE : SourceComments.of(module.sources(), module.encoding());
        Map<String, String> files = new TreeMap<>();
        for (CustomResourceDefinition crd : CustomResourceDefinition.of(types, comments)) {
            files.put(crd.name() + ".yaml", crd.yaml());
        }
        return files;
    }

    @Override
    public List<String> breaks(String committed, @Nullable String generated) {
        if (!(generated == null ? committed : generated).contains("kind: CustomResourceDefinition")) {
            return List.of(); // Another generator's, in the same folder.
        }
        if (generated == null) {
            return List.of("no class makes it any more; if there is one, it has not been compiled");
        }
        return Compatibility.breaks(committed, generated);
    }
}
