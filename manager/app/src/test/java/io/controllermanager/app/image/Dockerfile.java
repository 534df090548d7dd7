package io.controllermanager.app.image;

import io.controllermanager.testing.support.Jdk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Follows a Dockerfile without Docker: a stage is a directory, and what {@code RUN} says is run in it, by a JDK of this
 * machine instead of the base image's. Knows the instructions of this project's Dockerfiles and refuses all others.
 */
public final class Dockerfile {

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)\\}");
    private static final Pattern OPTION = Pattern.compile("^(--\\S+) +(.*)$");

    private final Path directory;
    private final Map<String, String> given;
    private final Jdk jdk;
    private final Map<String, String> arguments = new HashMap<>();
    private final Map<String, Stage> stages = new HashMap<>();

    /**
     * A stage, or the image if it is the last.
     *
     * @param root what {@code /} is in it
     */
    public record Stage(Path root, Map<String, String> environment, Map<String, String> settings, List<String> layers) {

        /** What starts its process. */
        public List<String> entryPoint() {
            return words(settings.getOrDefault("ENTRYPOINT", ""));
        }

        /** Where its process runs. */
        public Path workingDirectory() {
            return root.resolve(settings.getOrDefault("WORKDIR", "/").substring(1));
        }

        Stage copyTo(Path target) throws IOException {
            copy(root, target);
            return new Stage(
                    target, new LinkedHashMap<>(environment), new HashMap<>(settings), new ArrayList<>(layers));
        }
    }

    private Dockerfile(Path directory, Map<String, String> given, Jdk jdk) {
        this.directory = directory;
        this.given = given;
        this.jdk = jdk;
    }

    /**
     * Follows it to its end.
     *
     * @param file the Dockerfile
     * @param context what is built
     * @param given the build's arguments
     * @param directory for the stages
     * @return the last stage
     */
    public static Stage follow(Path file, Path context, Map<String, String> given, Path directory, Jdk jdk)
            throws IOException, InterruptedException {
        Dockerfile dockerfile = new Dockerfile(directory, given, jdk);
        Stage stage = null;
        String text = Files.readString(file).replaceAll("\\\\\\R", " ");
        for (String line : text.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] parts = dockerfile.expand(line).split(" +", 2);
            if (parts[0].equals("ARG")) {
                dockerfile.argument(parts[1]);
            } else if (parts[0].equals("FROM")) {
                stage = dockerfile.from(parts[1]);
            } else if (stage == null) {
                throw new AssertionError("No FROM before: " + line);
            } else {
                dockerfile.instruction(stage, parts[0], parts[1], context);
            }
        }
        if (stage == null) {
            throw new AssertionError("An empty Dockerfile");
        }
        return stage;
    }

    /** One that a stage names again keeps its value. */
    private void argument(String declaration) {
        String[] parts = declaration.split("=", 2);
        if (parts.length == 2) {
            arguments.put(parts[0], given.getOrDefault(parts[0], parts[1]));
        }
    }

    private String expand(String line) {
        return VARIABLE.matcher(line)
                .replaceAll(found -> Matcher.quoteReplacement(
                        Objects.requireNonNull(arguments.get(found.group(1)), found.group(1))));
    }

    private Stage from(String argument) throws IOException {
        String[] words = argument.split(" +", -1);
        Path root = directory.resolve("stage-" + stages.size());
        Stage base = stages.get(words[0]);
        Stage stage;
        if (base == null) {
            Files.createDirectories(root);
            stage = new Stage(root, new LinkedHashMap<>(), new HashMap<>(), new ArrayList<>());
            stage.settings().put("FROM", words[0]);
        } else {
            stage = base.copyTo(root);
        }
        stages.put(words.length == 3 ? words[2] : "the image", stage);
        return stage;
    }

    private Stage stage(String name) {
        return Objects.requireNonNull(stages.get(name), name);
    }

    private void instruction(Stage stage, String name, String argument, Path context)
            throws IOException, InterruptedException {
        switch (name) {
            case "WORKDIR" -> {
                stage.settings().put(name, argument);
                Files.createDirectories(stage.workingDirectory());
            }
            case "USER", "EXPOSE", "ENTRYPOINT" -> stage.settings().put(name, argument);
            case "ENV" -> {
                String[] parts = argument.split("=", 2);
                stage.environment().put(parts[0], parts[1].replaceAll("^\"|\"$", ""));
            }
            case "COPY" -> copy(stage, argument, context);
            case "RUN" -> run(stage, argument);
            default -> throw new AssertionError("Unknown to this: " + name);
        }
    }

    private void copy(Stage stage, String argument, Path context) throws IOException {
        Matcher option = OPTION.matcher(argument);
        if (option.matches() && option.group(1).startsWith("--from=")) {
            Stage source = stage(option.group(1).substring("--from=".length()));
            String[] paths = option.group(2).split(" +", -1);
            Path from = source.root().resolve(paths[0].substring(1));
            stage.layers().add(paths[0]);
            if (Files.isDirectory(from)) {
                copy(from, stage.workingDirectory());
            } else {
                Files.copy(
                        from, stage.workingDirectory().resolve(from.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        } else if (argument.equals(". .")) {
            // Not the sources: what the next command would build of them, the reactor has built.
            for (String name : List.of("JAR", "TRAINING", "CRDS", "SAMPLES")) {
                String part = Objects.requireNonNull(arguments.get(name), name);
                if (Files.exists(context.resolve(part))) {
                    copy(context.resolve(part), stage.workingDirectory().resolve(part));
                }
            }
        } else if (argument.endsWith(" ./")) {
            Path file = context.resolve(argument.substring(0, argument.length() - " ./".length()));
            copy(file, stage.workingDirectory().resolve(file.getFileName()));
        } else {
            throw new AssertionError("Unknown to this: COPY " + argument);
        }
    }

    private void run(Stage stage, String argument) throws IOException, InterruptedException {
        String command = argument;
        Map<String, Path> mounts = new HashMap<>();
        for (Matcher option = OPTION.matcher(command); option.matches(); option = OPTION.matcher(command)) {
            Matcher bind = Pattern.compile("--mount=type=bind,from=(\\w+),source=(/\\w+),target=(/\\w+)")
                    .matcher(option.group(1));
            if (bind.matches()) {
                mounts.put(
                        bind.group(3),
                        stage(bind.group(1)).root().resolve(bind.group(2).substring(1)));
            }
            command = option.group(2);
        }
        List<String> words = words(command);
        if (words.get(0).equals("mvn")) {
            return;
        }
        List<String> local = words.stream()
                .map(word -> mounts.entrySet().stream()
                        .filter(mount -> word.startsWith(mount.getKey() + "/"))
                        .findFirst()
                        .map(mount ->
                                mount.getValue() + word.substring(mount.getKey().length()))
                        .orElse(word))
                .toList();
        ProcessBuilder builder = process(stage.workingDirectory(), local, stage.environment(), jdk)
                .redirectErrorStream(true);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError("RUN " + argument + ": " + output);
        }
    }

    /**
     * What would start a command of an image.
     *
     * @param command {@code java} and what follows
     */
    static ProcessBuilder process(Path directory, List<String> command, Map<String, String> environment, Jdk jdk) {
        List<String> local = new ArrayList<>(command);
        if (!local.get(0).equals("java")) {
            throw new AssertionError("Unknown to this: " + command);
        }
        local.set(0, jdk.home().resolve("bin/java").toString());
        ProcessBuilder builder = new ProcessBuilder(local).directory(directory.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CONTROLLER_MANAGER") || name.contains("JAVA"));
        builder.environment().putAll(environment);
        return builder;
    }

    /** The words of a command, in the shell's or the exec form. */
    static List<String> words(String command) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command.startsWith("[") ? command.replaceAll("[\\[\\],]", " ") : command);
        while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        return words;
    }

    /** With the files' times, by which the JVM knows its jars again. */
    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
