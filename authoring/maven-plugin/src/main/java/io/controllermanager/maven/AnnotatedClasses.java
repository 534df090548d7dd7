package io.controllermanager.maven;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds a module's classes by an annotation. Only those that name it are loaded, and none is initialized. */
final class AnnotatedClasses {

    private AnnotatedClasses() {}

    /**
     * The classes, in the order of their files.
     *
     * @throws UncheckedIOException if the folder cannot be read
     * @throws IllegalArgumentException if a class cannot be loaded
     */
    static List<Class<?>> in(CompiledModule module, Class<? extends Annotation> annotation) {
        List<Class<?>> found = new ArrayList<>();
        for (Path file : classFiles(module.classes())) {
            if (names(file, annotation)) {
                Class<?> type = load(module, file);
                if (type.isAnnotationPresent(annotation)) {
                    found.add(type);
                }
            }
        }
        return found;
    }

    private static List<Path> classFiles(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + folder, e);
        }
    }

    /** A class file holds the descriptors of its annotations as text. */
    private static boolean names(Path file, Class<? extends Annotation> annotation) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
                    .contains(annotation.descriptorString());
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }

    private static Class<?> load(CompiledModule module, Path file) {
        String path = module.classes().relativize(file).toString();
        String name = path.substring(0, path.length() - ".class".length())
                .replace(file.getFileSystem().getSeparator(), ".");
        try {
            return Class.forName(name, false, module.loader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw new IllegalArgumentException("Cannot load " + name + ": " + e, e);
        }
    }
}
