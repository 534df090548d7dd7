package io.controllermanager.promises;

import io.controllermanager.manager.internal.KeyExplanation;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.actuate.endpoint.DividedDescriptor;
import io.controllermanager.spring.actuate.endpoint.InformersEndpoint;
import io.controllermanager.spring.actuate.endpoint.LeaderElectionEndpoint;
import io.controllermanager.spring.actuate.endpoint.QueueDescriptor;
import io.controllermanager.webhook.autoconfigure.WebhooksEndpoint;
import io.kubernetes.client.openapi.ApiException;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;
import org.yaml.snakeyaml.Yaml;

/**
 * What users write or read by name, beside Java types. Each has a line, such as {@code flag --controllers}; with a type, such as
 * {@code alert ControllerManagerDown: critical}, where another type breaks users too.
 */
final class PromisedNames {

    private static final Pattern FLAG = Pattern.compile("(?m)^\\| `(--[a-z-]+|-v)` \\| `");
    /** Not the index that is called like one. */
    private static final Pattern ANNOTATION =
            Pattern.compile("\"((?:conversion\\.)?controller-manager\\.io/(?!shard\")[a-z-]*)\"");

    private static final Pattern ALERT = Pattern.compile("(?s)alert: (\\w+)\n.*?severity: (\\w+)");
    private static final Pattern EVENT = Pattern.compile("\\.(normal|warning)\\(\\s*[\\w.()]+,\\s*\"(\\w+)\"");
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
        names.addAll("flag ", FLAG, read("docs/configuration.md"));
        for (String source : sources("manager", "authoring/maven-plugin")) {
            names.addAll("annotation ", ANNOTATION, source);
            EVENT.matcher(source)
                    .results()
                    .map(event -> "event " + event.group(2) + ": " + StringUtils.capitalize(event.group(1)))
                    .forEach(names.names::add);
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
        names.addEndpoints();
        return names.names;
    }

    private void addAll(String kind, Pattern pattern, String text) {
        pattern.matcher(text).results().map(match -> kind + match.group(1)).forEach(names::add);
    }

    private void addEndpoints() {
        Map.of(
                        "controllers",
                                List.of(
                                        ControllersEndpoint.ControllersDescriptor.class,
                                        ControllersEndpoint.ErrorsDescriptor.class,
                                        ControllersEndpoint.KeysDescriptor.class,
                                        ControllersEndpoint.OperationError.class,
                                        QueueDescriptor.class,
                                        KeyExplanation.class),
                        "informers", List.of(InformersEndpoint.InformersDescriptor.class),
                        "leaderelection",
                                List.of(
                                        LeaderElectionEndpoint.Controllers.class,
                                        LeaderElectionEndpoint.ControllersAndShards.class,
                                        LeaderElectionEndpoint.LeaseAndShards.class,
                                        DividedDescriptor.class),
                        "webhooks", List.of(WebhooksEndpoint.WebhooksDescriptor.class))
                .forEach((endpoint, answers) -> answers.forEach(answer -> addFields("field " + endpoint, answer)));
    }

    private void addFields(String path, Type type) {
        if (type instanceof ParameterizedType generic) {
            for (Type argument : generic.getActualTypeArguments()) {
                addFields(path, argument);
            }
        } else if (type instanceof Class<?> record && record.isRecord()) {
            for (RecordComponent component : record.getRecordComponents()) {
                String field = path + "." + component.getName();
                names.add(field + ": " + json(component.getType()));
                addFields(field, component.getGenericType());
            }
        }
    }

    /** What becomes of a type in JSON; of text, the type that says how it is written. */
    private static String json(Class<?> type) {
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        return Number.class.isAssignableFrom(boxed)
                ? "Number"
                : Collection.class.isAssignableFrom(type)
                        ? "List"
                        : type.isRecord() ? "Object" : type.isEnum() ? "String" : boxed.getSimpleName();
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
                if (Promises.PROJECT.relativize(file).toString().contains("/src/main/")) {
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
