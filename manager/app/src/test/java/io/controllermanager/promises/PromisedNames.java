package io.controllermanager.promises;

import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.json.JsonParserFactory;
import org.yaml.snakeyaml.Yaml;

/**
 * What users write or read by name, beside Java types. Each has a line, such as {@code flag --controllers}; with a type, such as
 * {@code alert ControllerManagerDown: critical}, where another type breaks users too.
 */
final class PromisedNames {

    private static final Pattern EXIT = Pattern.compile("(?m)^\\| (\\d) \\| ");
    private static final Pattern PATH = Pattern.compile("(?m)^\\| `(/actuator/[^`]+)` \\| ");
    private static final Pattern FLAG = Pattern.compile("(?m)^\\| `(--[a-z-]+|-v)` \\| `");
    /** Not the index that is called like one. */
    private static final Pattern ANNOTATION =
            Pattern.compile("\"((?:conversion\\.)?controller-manager\\.io/(?!shard\")[a-z-]*)\"");

    private static final Pattern ALERT = Pattern.compile("(?s)alert: (\\w+)\n.*?severity: (\\w+)");
    /** What is said to a recorder, and outcomes that the host itself comes to. The reason is a constant or a text. */
    private static final Pattern EVENT = Pattern.compile(
            "(\\.normal|\\.warning|Outcome\\.ready|Outcome\\.progressing|Outcome\\.blocked|\\.insteadOf)"
                    + "\\((?:[\\w.()\\s]+,)*?\\s*(?:([A-Z_]+)\\b|\"(\\w+)\")");

    private static final Set<String> NORMAL = Set.of(".normal", "Outcome.ready", "Outcome.progressing");
    private static final Pattern COMMENT = Pattern.compile("(?m)^ +\\*.*");
    private static final Pattern ARCHETYPE = Pattern.compile("requiredProperty key=\"(\\w+)\"");
    private static final Pattern GOAL = Pattern.compile("@Mojo\\(\\s*name = \"(\\w+)\"");
    private static final Pattern PARAMETER = Pattern.compile("@Parameter(?:\\((?![^)]*readonly)[^)]*\\))?\\s+"
            + "(?:@SuppressWarnings.*\\s+)?private (?:@Nullable )?[\\w<>]+ (\\w+)");

    private final Set<String> names = new TreeSet<>();

    private PromisedNames() {}

    /** Those of this build. */
    static Set<String> now() throws IOException, ApiException {
        PromisedNames names = new PromisedNames();
        names.names.addAll(PromisedProperties.now());
        names.names.addAll(PromisedMetrics.now());
        names.names.addAll(PromisedEndpoints.now());
        names.addAll("flag ", FLAG, read("docs/configuration.md"));
        names.addAll("exit ", EXIT, read("docs/configuration.md"));
        names.addAll("path ", PATH, read("docs/operating.md"));
        for (String source : sources("manager", "authoring/maven-plugin")) {
            names.addAll("annotation ", ANNOTATION, source);
            names.addEvents(source);
            names.addAll("goal ", GOAL, source);
            if (source.startsWith("package io.controllermanager.maven;")) {
                names.addAll("plugin ", PARAMETER, source);
            }
        }
        ALERT.matcher(read("config/prometheus/alerts.yaml"))
                .results()
                .map(alert -> "alert " + alert.group(1) + ": " + alert.group(2))
                .forEach(names.names::add);
        names.addAll(
                "archetype ",
                ARCHETYPE,
                read("archetypes/controller/src/main/resources/META-INF/maven/archetype-metadata.xml"));
        Map<String, Object> schema =
                JsonParserFactory.getJsonParser().parseMap(read("charts/controller-manager/values.schema.json"));
        names.addSchema("chart ", schema);
        for (Path file : files("config/crd/bases", ".yaml")) {
            names.addCrd(new Yaml().load(Files.readString(file)));
        }
        return names.names;
    }

    private void addAll(String kind, Pattern pattern, String text) {
        pattern.matcher(text).results().map(match -> kind + match.group(1)).forEach(names::add);
    }

    private void addEvents(String source) {
        String code = COMMENT.matcher(source).replaceAll("");
        for (Matcher event = EVENT.matcher(code); event.find(); ) {
            String reason = event.group(3) == null ? constant(event.group(2), code) : event.group(3);
            names.add("event " + reason + (NORMAL.contains(event.group(1)) ? ": Normal" : ": Warning"));
        }
    }

    /** What the same source says that it is. */
    private static String constant(String name, String code) {
        Matcher constant = Pattern.compile("String " + name + " = \"(\\w+)\"").matcher(code);
        if (!constant.find()) {
            throw new IllegalStateException("There is no text for the reason " + name + " in " + code);
        }
        return constant.group(1);
    }

    private void addCrd(Map<String, Object> crd) {
        Map<String, Object> spec = map(crd.get("spec"));
        for (Object each : (List<?>) spec.get("versions")) {
            Map<String, Object> version = map(each);
            String name =
                    "crd " + map(spec.get("names")).get("plural") + "." + spec.get("group") + "/" + version.get("name");
            names.add(name);
            addSchema(name + " ", map(map(version.get("schema")).get("openAPIV3Schema")));
        }
    }

    private void addSchema(String path, Map<String, Object> schema) {
        if (schema.get("properties") != null) {
            map(schema.get("properties")).forEach((name, property) -> {
                names.add(path + name);
                addSchema(path + name + ".", map(property));
            });
        }
        if (schema.get("items") instanceof Map<?, ?> items) {
            addSchema(path, map(items));
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    private static String read(String file) throws IOException {
        return Files.readString(Promises.PROJECT.resolve(file));
    }

    private static List<String> sources(String... folders) throws IOException {
        List<String> sources = new ArrayList<>();
        for (String folder : folders) {
            for (Path file : files(folder, ".java")) {
                String path = Promises.PROJECT.relativize(file).toString();
                // Not a project that tests build.
                if (path.contains("/src/main/") && !path.contains("/src/test/")) {
                    sources.add(Files.readString(file));
                }
            }
        }
        return sources;
    }

    /** What a build makes beside the sources comes and goes meanwhile, and is not looked at. */
    private static List<Path> files(String folder, String ending) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(Promises.PROJECT.resolve(folder), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return directory.endsWith("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.toString().endsWith(ending)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        Collections.sort(found);
        return found;
    }
}
