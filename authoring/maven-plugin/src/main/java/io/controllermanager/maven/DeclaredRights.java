package io.controllermanager.maven;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a controller of an application or of its libraries declares: a resource that its module carries.
 *
 * @param text the file's text
 * @param source the jar or folder that has it
 */
record DeclaredRights(String text, String source) {

    private static final String FOLDER = "META-INF/controller-manager/rbac";

    /**
     * The rights by the names of their files, {@code <controller>.yaml}.
     *
     * @throws IllegalArgumentException if two modules declare different rights for one controller
     * @throws UncheckedIOException if they cannot be read
     */
    static Map<String, DeclaredRights> on(ClassLoader loader) {
        Map<String, DeclaredRights> all = new TreeMap<>();
        try {
            for (URL folder : Collections.list(loader.getResources(FOLDER))) {
                if (folder.openConnection() instanceof JarURLConnection jar) {
                    try (FileSystem files = FileSystems.newFileSystem(
                            Path.of(jar.getJarFileURL().toURI()))) {
                        read(files.getPath(FOLDER), jar.getJarFileURL().getPath(), all);
                    }
                } else {
                    read(Path.of(folder.toURI()), folder.getPath(), all);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + FOLDER + " on the class path", e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }

    private static void read(Path folder, String source, Map<String, DeclaredRights> all) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(folder)) {
            files = listed.filter(file -> file.toString().endsWith(".yaml")).toList();
        }
        for (Path file : files) {
            String name = file.getFileName().toString();
            DeclaredRights rights = new DeclaredRights(Files.readString(file), source);
            DeclaredRights other = all.put(name, rights);
            if (other != null
                    && !other.text()
                            .lines()
                            .toList()
                            .equals(rights.text().lines().toList())) {
                throw new IllegalArgumentException(name + ": " + other.source() + " and " + source
                        + " declare different rights for one controller");
            }
        }
    }
}
