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

/** What the controllers of an application declare, those of its libraries too: the resources that their modules carry. */
final class DeclaredRights {

    private static final String FOLDER = "META-INF/controller-manager/rbac";

    private DeclaredRights() {}

    /**
     * The texts by the names of their files, {@code <controller>.yaml}.
     *
     * @throws UncheckedIOException if they cannot be read
     */
    static Map<String, String> on(ClassLoader loader) {
        Map<String, String> all = new TreeMap<>();
        try {
            for (URL folder : Collections.list(loader.getResources(FOLDER))) {
                if (folder.openConnection() instanceof JarURLConnection jar) {
                    try (FileSystem files = FileSystems.newFileSystem(
                            Path.of(jar.getJarFileURL().toURI()))) {
                        read(files.getPath(FOLDER), all);
                    }
                } else {
                    read(Path.of(folder.toURI()), all);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + FOLDER + " on the class path", e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return all;
    }

    private static void read(Path folder, Map<String, String> all) throws IOException {
        List<Path> files;
        try (Stream<Path> listed = Files.list(folder)) {
            files = listed.filter(file -> file.toString().endsWith(".yaml")).toList();
        }
        for (Path file : files) {
            all.put(file.getFileName().toString(), Files.readString(file));
        }
    }
}
