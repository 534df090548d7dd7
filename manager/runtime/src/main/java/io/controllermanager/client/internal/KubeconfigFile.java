package io.controllermanager.client.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * What one kubeconfig file says. Its paths are relative to the folder that it lies in.
 *
 * @param name how messages call it
 * @param folder where it lies
 * @param document its content
 */
record KubeconfigFile(String name, Path folder, Map<String, Object> document) {

    /**
     * Reads a file.
     *
     * @throws ApiAccessException if it cannot be read or is no kubeconfig
     */
    static KubeconfigFile read(Path file) {
        String name = "kubeconfig " + file;
        return new KubeconfigFile(
                name, Objects.requireNonNullElse(file.toAbsolutePath().getParent(), file), parse(file, name));
    }

    @SuppressWarnings("unchecked") // YAML's keys in a kubeconfig are strings; what is not fails where it is used
    private static Map<String, Object> parse(Path file, String name) {
        Object document;
        try {
            LoaderOptions options = new LoaderOptions();
            options.setCodePointLimit(Integer.MAX_VALUE);
            // kubectl reads the first document, and tabs before the values of JSON.
            String text = Files.readString(file, StandardCharsets.UTF_8);
            Iterator<Object> documents = new Yaml(new SafeConstructor(options))
                    .loadAll(text.stripLeading().startsWith("{") ? text.replace('\t', ' ') : text)
                    .iterator();
            document = documents.hasNext() ? documents.next() : null;
        } catch (NoSuchFileException e) {
            throw new ApiAccessException(name + ": there is no such file", e);
        } catch (IOException e) {
            throw new ApiAccessException(name + ": cannot be read: " + FailureMessage.words(e), e);
        } catch (YAMLException e) {
            throw notYaml(name, e);
        }
        if (document == null) {
            return Map.of();
        }
        if (!(document instanceof Map<?, ?> map) || (map.get("kind") != null && !"Config".equals(map.get("kind")))) {
            throw new ApiAccessException(name + ": is no kubeconfig, which has clusters, users and contexts");
        }
        return (Map<String, Object>) map;
    }

    /** Says where the mistake is and no more: the parser's own message quotes the line, and a token may stand in it. */
    private static ApiAccessException notYaml(String name, YAMLException e) {
        Mark mark = e instanceof MarkedYAMLException marked ? marked.getProblemMark() : null;
        return new ApiAccessException(name + ": is not valid YAML"
                + (mark == null ? "" : " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1)));
    }

    /** The name of the context to use, null if this file says none. */
    @Nullable
    String currentContext() {
        return document.get("current-context") instanceof String context && !context.isEmpty() ? context : null;
    }

    /**
     * Adds what a list has, but for names that are there already from other files.
     *
     * @param list the list's name, such as {@code clusters}
     * @param what the field of its entries, such as {@code cluster}
     * @throws ApiAccessException if the list or one of its entries is malformed
     */
    @SuppressWarnings("unchecked") // as above
    void addTo(Map<String, Map<String, Object>> into, String list, String what) {
        Object entries = document.get(list);
        if (entries == null) {
            return;
        }
        if (!(entries instanceof List)) {
            throw new ApiAccessException(name + ": \"" + list + "\" is not a list");
        }
        Map<String, Map<String, Object>> own = new LinkedHashMap<>();
        for (Object entry : (List<Object>) entries) {
            if (!(entry instanceof Map<?, ?> named) || !(named.get("name") instanceof String entryName)) {
                throw new ApiAccessException(name + ": an entry of \"" + list + "\" has no name");
            }
            Object value = named.get(what);
            if (value != null && !(value instanceof Map)) {
                throw new ApiAccessException(name + ": " + what + " \"" + entryName + "\" is malformed");
            }
            Map<String, Object> copy =
                    value == null ? new LinkedHashMap<>() : new LinkedHashMap<>((Map<String, Object>) value);
            makePathsAbsolute(copy);
            if (own.put(entryName, copy) != null) {
                throw new ApiAccessException(name + ": \"" + list + "\" has two of the name \"" + entryName + "\"");
            }
        }
        own.forEach(into::putIfAbsent);
    }

    @SuppressWarnings("unchecked") // as above
    private void makePathsAbsolute(Map<String, Object> entry) {
        for (String key : List.of("certificate-authority", "client-certificate", "client-key", "tokenFile")) {
            if (entry.get(key) instanceof String path && !path.isEmpty()) {
                entry.put(key, folder.resolve(path).normalize().toString());
            }
        }
        if (entry.get("exec") instanceof Map<?, ?> exec
                && exec.get("command") instanceof String command
                && command.contains("/")) {
            Map<String, Object> copy = new LinkedHashMap<>((Map<String, Object>) exec);
            copy.put("command", folder.resolve(command).normalize().toString());
            entry.put("exec", copy);
        }
    }

    /** Without the content, some of which is secret. */
    @Override
    public String toString() {
        return name;
    }
}
