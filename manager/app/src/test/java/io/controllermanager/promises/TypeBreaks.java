package io.controllermanager.promises;

import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.config.Options;
import japicmp.model.AccessModifier;
import japicmp.model.JApiClass;
import japicmp.model.JApiCompatibility;
import japicmp.model.JApiField;
import japicmp.model.JApiMethod;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Which types, or members of types, users' code would miss or find changed, as japicmp judges that. */
final class TypeBreaks {

    private TypeBreaks() {}

    /**
     * Their whole names, such as {@code io.controllermanager.reconciler.Outcome} or, of a member,
     * {@code io.controllermanager.reconciler.Outcome.done}; that of a constructor is the type's.
     */
    static Set<String> between(Path before, Path now) {
        Options options = Options.newDefault();
        options.setIgnoreMissingClasses(true);
        JarArchiveComparatorOptions comparison = JarArchiveComparatorOptions.of(options);
        comparison.setAccessModifier(AccessModifier.PROTECTED);
        comparison.getIgnoreMissingClasses().setIgnoreAllMissingClasses(true);
        Set<String> breaks = new TreeSet<>();
        for (JApiClass type : new JarArchiveComparator(comparison)
                .compare(new JApiCmpArchive(before.toFile(), "before"), new JApiCmpArchive(now.toFile(), "now"))) {
            String name = type.getFullyQualifiedName().replace('$', '.');
            if (breaks(Stream.concat(
                    Stream.of(type, type.getSuperclass()),
                    Stream.concat(type.getInterfaces().stream(), type.getConstructors().stream())))) {
                breaks.add(name);
            }
            for (JApiMethod method : type.getMethods()) {
                addMember(breaks, name, method.getName(), method);
            }
            for (JApiField field : type.getFields()) {
                addMember(breaks, name, field.getName(), field);
            }
        }
        return breaks;
    }

    private static void addMember(Set<String> breaks, String type, String member, JApiCompatibility change) {
        if (breaks(Stream.of(change))) {
            breaks.add(type + "." + member);
        }
    }

    private static boolean breaks(Stream<? extends JApiCompatibility> parts) {
        return parts.flatMap(part -> part.getCompatibilityChanges().stream())
                .anyMatch(change -> !change.isBinaryCompatible() || !change.isSourceCompatible());
    }
}
