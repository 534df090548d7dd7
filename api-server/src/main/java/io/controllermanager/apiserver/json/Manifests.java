package io.controllermanager.apiserver.json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Reads manifests as people give them to {@code kubectl apply -f}: files, or resources of the class path. */
public final class Manifests {

    private static final String CLASSPATH = "classpath:";

    private final List<Document> documents = new ArrayList<>();

    private Manifests() {}

    /** One object of a manifest. The source is its file, for messages. */
    public record Document(String source, ObjectNode content) {}

    /**
     * Reads all documents of all files, as {@link #find} does.
     *
     * @throws IllegalArgumentException if a location leads to no file, or a file is no YAML or JSON
     */
    public static List<Document> read(List<String> locations) {
        List<Document> all = new ArrayList<>();
        for (String location : locations) {
            List<Document> found = find(location);
            if (found.isEmpty()) {
                boolean resource = location.startsWith(CLASSPATH);
                String place = resource ? "" : ", seen from " + Path.of("").toAbsolutePath();
                throw new IllegalArgumentException("no manifest at " + location + place);
            }
            all.addAll(found);
        }
        return all;
    }

    /**
     * Reads all documents of the files that there are, those of a glob in the order of their names.
     *
     * @param location a path, with {@code classpath:} in front for resources; {@code *}, {@code **}, {@code ?}, {@code [}
     *     and <code>{</code> make a glob of one
     * @throws IllegalArgumentException if a file is no YAML or JSON
     */
    public static List<Document> find(String location) {
        Manifests manifests = new Manifests();
        try {
            if (location.startsWith(CLASSPATH)) {
                manifests.readResources(location.substring(CLASSPATH.length()));
            } else {
                String root = root(location);
                manifests.readFiles(Path.of(root), location.substring(root.length()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + location, e);
        }
        return manifests.documents;
    }

    /** Reads what lies beside a class. */
    public static List<Document> bundled(Class<?> beside, String name) {
        return Json.list(Json.resource(beside, name)).stream()
                .map(object -> new Document(name, (ObjectNode) object))
                .toList();
    }

    /** The folders before the first segment that is a glob; the whole path where none is. */
    private static String root(String path) {
        return path.replaceFirst("[^/]*[*?\\[{].*", "");
    }

    private void readResources(String path) throws IOException {
        ClassLoader loader = Objects.requireNonNullElse(
                Thread.currentThread().getContextClassLoader(), Manifests.class.getClassLoader());
        String root = root(path);
        for (URL url : Collections.list(loader.getResources(root))) {
            try {
                if (url.openConnection() instanceof JarURLConnection jar) {
                    try (FileSystem files = FileSystems.newFileSystem(
                            Path.of(jar.getJarFileURL().toURI()))) {
                        readFiles(files.getPath(jar.getEntryName()), path.substring(root.length()));
                    }
                } else {
                    readFiles(Path.of(url.toURI()), path.substring(root.length()));
                }
            } catch (URISyntaxException e) {
                throw new IOException("not a file: " + url, e);
            }
        }
    }

    private void readFiles(Path root, String glob) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        PathMatcher matcher = root.getFileSystem().getPathMatcher("glob:" + glob);
        try (Stream<Path> found = Files.walk(root)) {
            for (Path file : found.filter(Files::isRegularFile)
                    .filter(file -> matcher.matches(root.relativize(file)))
                    .sorted()
                    .toList()) {
                // Tells kustomize what to do, and is no object.
                if (glob.isEmpty() || !file.endsWith("kustomization.yaml")) {
                    read(file.toString(), Files.readAllBytes(file));
                }
            }
        }
    }

    private void read(String source, byte[] content) {
        try {
            Json.readAllYaml(content).forEach(node -> {
                if (!(node instanceof ObjectNode object)) {
                    throw new IllegalArgumentException(source + " holds something that is no object: " + node);
                }
                documents.add(new Document(source, object));
            });
        } catch (IOException e) {
            throw new IllegalArgumentException(source + " cannot be read as YAML: " + e.getMessage(), e);
        }
    }
}
