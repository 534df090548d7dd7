package io.controllermanager.promises;

import io.controllermanager.app.support.Project;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.FieldVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.util.StringUtils;

/** The public types of packages, as users' code sees them: no code, and no member that they could not name. */
final class TypesJar {

    private static final String CLASS = ".class";

    private TypesJar() {}

    /** Writes those that this build has compiled. */
    static void write(Path jar, Collection<String> packages) throws IOException {
        Map<String, byte[]> types = new TreeMap<>();
        for (String name : packages) {
            Map<String, byte[]> found = ofPackage(name.replace('.', '/'));
            if (found.isEmpty()) {
                throw new IllegalStateException("No module has public types in " + name);
            }
            types.putAll(found);
        }
        Files.createDirectories(jar.getParent());
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            for (Map.Entry<String, byte[]> type : types.entrySet()) {
                ZipEntry entry = new ZipEntry(type.getKey() + CLASS);
                entry.setLastModifiedTime(FileTime.fromMillis(0));
                zip.putNextEntry(entry);
                zip.write(type.getValue());
                zip.closeEntry();
            }
        }
    }

    private static Map<String, byte[]> ofPackage(String path) throws IOException {
        Map<String, byte[]> types = new TreeMap<>();
        for (Path folder : Project.modules()) {
            Path classes = folder.resolve("target/classes").resolve(path);
            if (Files.isDirectory(classes)) {
                try (Stream<Path> files = Files.list(classes)) {
                    // By its name without the ending, an outer type comes before those in it.
                    for (Path file : files.filter(file -> file.toString().endsWith(CLASS))
                            .sorted(Comparator.comparing(file -> StringUtils.stripFilenameExtension(file.toString())))
                            .toList()) {
                        add(Files.readAllBytes(file), folder.resolve("src/main/java"), types);
                    }
                }
            }
        }
        return types;
    }

    /** Without what has no source, such as the classes for AOT that packaging adds. */
    private static void add(byte[] bytes, Path sources, Map<String, byte[]> types) {
        ClassReader reader = new ClassReader(bytes);
        String name = reader.getClassName();
        int outer = name.lastIndexOf('$');
        boolean reachable =
                outer < 0 ? Files.exists(sources.resolve(name + ".java")) : types.containsKey(name.substring(0, outer));
        if ((reader.getAccess() & Opcodes.ACC_PUBLIC) != 0 && reachable) {
            ClassWriter writer = new ClassWriter(0);
            reader.accept(
                    new VisibleMembers(writer),
                    ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            types.put(name, writer.toByteArray());
        }
    }

    private static final class VisibleMembers extends ClassVisitor {

        VisibleMembers(ClassVisitor next) {
            super(SpringAsmInfo.ASM_VERSION, next);
        }

        private static boolean isVisible(int access) {
            return (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0
                    && (access & Opcodes.ACC_SYNTHETIC) == 0;
        }

        @Override
        public @Nullable FieldVisitor visitField(
                int access, String name, String descriptor, @Nullable String signature, @Nullable Object value) {
            return isVisible(access) ? super.visitField(access, name, descriptor, signature, value) : null;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String name, String descriptor, @Nullable String signature, String @Nullable [] thrown) {
            return isVisible(access) ? super.visitMethod(access, name, descriptor, signature, thrown) : null;
        }
    }
}
