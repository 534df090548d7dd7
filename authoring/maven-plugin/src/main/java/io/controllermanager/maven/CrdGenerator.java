package io.controllermanager.maven;

import io.controllermanager.crd.Comments;
import io.controllermanager.crd.Compatibility;
import io.controllermanager.crd.CustomResourceDefinition;
import io.controllermanager.crd.SourceComments;
import io.controllermanager.types.CustomResource;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * CRDs from classes with {@code @CustomResource}, each in the file that has it, whatever its name, so that there is always something to
 * compare it with. One that is new gets the file {@code <plural>.<group>.yaml}.
 *
 * @param folder where the files are; it need not be there
 * @param warnings takes what is to be said of types that are good enough
 */
record CrdGenerator(Path folder, Consumer<String> warnings) implements Generator {

    @Override
    public Map<String, String> generate(CompiledModule module) {
        List<Class<?>> types = AnnotatedClasses.in(module, CustomResource.class);
        Comments comments = types.isEmpty() ? Comments.NONE : SourceComments.of(module.sources(), module.encoding());
        Map<String, String> committed = new GeneratedFolder(folder, GeneratedFolder.Generated.ALL).read(List.of());
        Map<String, String> files = new TreeMap<>();
        for (CustomResourceDefinition crd :
                CustomResourceDefinition.of(types, comments, ModuleWebhooks.conversion(module))) {
            String file = fileOf(crd.name(), committed);
            files.put(file, crd.yaml());
            Compatibility.gone(committed.getOrDefault(file, "{}"), crd.yaml())
                    .forEach(version -> warnings.accept(crd.name() + " has no version " + version
                            + " any more. The API server takes that once no object is stored in it: when " + version
                            + " is not in the answer of\nkubectl get crd " + crd.name()
                            + " --output=jsonpath={.status.storedVersions}"));
            crd.warnings().forEach(warnings);
        }
        return files;
    }

    private static String fileOf(String crd, Map<String, String> committed) {
        String usual = crd + ".yaml";
        return committed.containsKey(usual)
                ? usual
                : committed.entrySet().stream()
                        .filter(file -> has(crd, file.getValue()))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElse(usual);
    }

    private static boolean has(String crd, String text) {
        try {
            CustomResourceDefinition committed = CustomResourceDefinition.parse(text);
            return "CustomResourceDefinition".equals(committed.content().get("kind"))
                    && committed.name().equals(crd);
        } catch (IllegalArgumentException e) {
            return false; // Such as a template.
        }
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
