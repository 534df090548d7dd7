package io.controllermanager.crd;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Type;
import org.objectweb.asm.TypeReference;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.TypeAnnotationNode;

/**
 * What a class file says that reflection does not show.
 *
 * @param uses the annotations, with those of {@code RetentionPolicy.CLASS}
 * @param kotlin what Kotlin's compiler notes, null if the class is none of Kotlin's
 */
record ClassFile(Set<Use> uses, @Nullable KotlinClass kotlin) {

    /** Those that say that a value may be null, in the libraries that have any. */
    private static final Set<String> NULLABLE = Set.of("Nullable", "CheckForNull", "NullableDecl", "NullableType");

    /** Where in a member, or in the superclass, an annotation of a type is looked for. */
    private static final Set<Integer> TYPES = Set.of(
            TypeReference.newSuperTypeReference(-1).getValue(),
            TypeReference.newTypeReference(TypeReference.FIELD).getValue(),
            TypeReference.newTypeReference(TypeReference.METHOD_RETURN).getValue());

    /**
     * An annotation where it stands.
     *
     * @param member the name of a field, that of a method with {@code ()}, or none for the superclass
     * @param way to it in the type: {@code 0;} for the first type argument, {@code [} for the component of an array
     * @param annotation the name of its class
     */
    record Use(String member, String way, String annotation) {}

    /** Reads the file of a class. */
    static ClassFile of(Class<?> type, Place place) {
        ClassNode node = new ClassNode();
        String name = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream bytes = type.getResourceAsStream(name)) {
            if (bytes != null) { // Else a program has made the class.
                new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + name, e);
        }
        ClassFile file = new ClassFile(new HashSet<>(), KotlinClass.of(type, place));
        file.add("", node.visibleTypeAnnotations, node.invisibleTypeAnnotations);
        node.fields.forEach(field -> file.add(
                field.name,
                field.visibleAnnotations,
                field.invisibleAnnotations,
                field.visibleTypeAnnotations,
                field.invisibleTypeAnnotations));
        node.methods.stream()
                .filter(method -> method.desc.startsWith("()"))
                .forEach(method -> file.add(
                        method.name + "()",
                        method.visibleAnnotations,
                        method.invisibleAnnotations,
                        method.visibleTypeAnnotations,
                        method.invisibleTypeAnnotations));
        return file;
    }

    @SafeVarargs
    private void add(String member, @Nullable List<? extends AnnotationNode>... lists) {
        for (List<? extends AnnotationNode> list : lists) {
            for (AnnotationNode annotation : list == null ? List.<AnnotationNode>of() : list) {
                TypeAnnotationNode use = annotation instanceof TypeAnnotationNode node ? node : null;
                if (use == null || TYPES.contains(use.typeRef)) {
                    // Neither a wildcard's bound nor a class within another is a step for those who look.
                    String way = use == null || use.typePath == null
                            ? ""
                            : use.typePath.toString().replaceAll("[*.]", "");
                    uses.add(new Use(member, way, Type.getType(annotation.desc).getClassName()));
                }
            }
        }
    }

    /** The ways to what may be null in the type of a member. */
    Set<String> nullable(String member, Place at) {
        Set<String> ways = kotlin == null ? new HashSet<>() : kotlin.nullable(member, uses, at);
        for (Use use : uses) {
            String simple = use.annotation.substring(use.annotation.lastIndexOf('.') + 1);
            if (use.member.equals(member) && NULLABLE.contains(simple)) {
                ways.add(use.way);
            }
        }
        return ways;
    }
}
