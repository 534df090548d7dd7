package io.controllermanager.crd;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Type;
import org.objectweb.asm.TypeReference;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.TypeAnnotationNode;

/**
 * The annotations in a class file, with those of {@code RetentionPolicy.CLASS}, which reflection does not show.
 *
 * @param members the classes of annotations by the name of a field, of a method with {@code ()}, or none for the superclass; and
 *     then by the way to them in its type: {@code 0;} for the first type argument, {@code [} for the component of an array
 */
record ClassFile(Map<String, Map<String, Set<String>>> members) {

    /** Reads the file of a class. */
    static ClassFile of(Class<?> type) {
        ClassFile file = new ClassFile(new HashMap<>());
        ClassNode node = new ClassNode();
        String name = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream bytes = type.getResourceAsStream(name)) {
            if (bytes == null) {
                return file; // Made by a program.
            }
            new ClassReader(bytes).accept(node, ClassReader.SKIP_CODE);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + name, e);
        }
        file.add("", TypeReference.CLASS_EXTENDS, node.visibleTypeAnnotations, node.invisibleTypeAnnotations);
        node.fields.forEach(field -> {
            file.add(field.name, 0, field.visibleAnnotations, field.invisibleAnnotations);
            file.add(field.name, TypeReference.FIELD, field.visibleTypeAnnotations, field.invisibleTypeAnnotations);
        });
        node.methods.stream().filter(method -> method.desc.startsWith("()")).forEach(method -> {
            String getter = method.name + "()";
            file.add(getter, 0, method.visibleAnnotations, method.invisibleAnnotations);
            file.add(
                    getter,
                    TypeReference.METHOD_RETURN,
                    method.visibleTypeAnnotations,
                    method.invisibleTypeAnnotations);
        });
        return file;
    }

    private void add(
            String member,
            int sort,
            @Nullable List<? extends AnnotationNode> visible,
            @Nullable List<? extends AnnotationNode> invisible) {
        List<AnnotationNode> annotations = new ArrayList<>(visible == null ? List.of() : visible);
        annotations.addAll(invisible == null ? List.of() : invisible);
        annotations.forEach(annotation -> {
            TypeAnnotationNode use = annotation instanceof TypeAnnotationNode node ? node : null;
            if (use == null || new TypeReference(use.typeRef).getSort() == sort) {
                // Neither a wildcard's bound nor a class within another is a step for those who look.
                String way = use == null || use.typePath == null
                        ? ""
                        : use.typePath.toString().replaceAll("[*.]", "");
                members.computeIfAbsent(member, name -> new HashMap<>())
                        .computeIfAbsent(way, step -> new HashSet<>())
                        .add(Type.getType(annotation.desc).getClassName());
            }
        });
    }
}
