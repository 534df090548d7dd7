package io.controllermanager.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A command that the documentation shows. What it names of this project has to be there: files, modules, profiles, test
 * classes, flags, properties and endpoints.
 *
 * @param words as the shell would take them, without quotes
 */
record Command(List<String> words) {

    private static final Path PROJECT = Page.PROJECT;
    private static final Pattern OWN_FILE = Pattern.compile(
            "(.*=|(\\.\\./)*)((benchmarks|charts|config|controllers|docs|examples|image|manager|src|testing)/[\\w./-]+)");
    private static final Pattern ENDPOINT = Pattern.compile("/actuator/([\\w-]+)");

    /** What it names that is not there. */
    List<String> mistakes() throws IOException {
        List<String> mistakes = new ArrayList<>();
        for (String word : words) {
            Matcher file = OWN_FILE.matcher(word);
            if (file.matches() && !isThere(file.group(3))) {
                mistakes.add(word);
            }
            Matcher endpoint = ENDPOINT.matcher(word);
            if (endpoint.find() && !endpoints().contains(endpoint.group(1))) {
                mistakes.add(endpoint.group());
            }
        }
        if (words.get(0).equals("mvn")) {
            mavenMistakes(mistakes);
        } else if (words.get(0).equals("java")) {
            flagMistakes(mistakes);
        }
        return mistakes;
    }

    /** In the project, or in one to copy; of what is built, the module. */
    private static boolean isThere(String file) {
        String source = file.replaceAll("/target/.*", "/pom.xml");
        return Stream.of("", "examples/website", "examples/tenant-database")
                .anyMatch(folder -> Files.exists(PROJECT.resolve(folder).resolve(source)));
    }

    private static List<String> endpoints() throws IOException {
        Properties defaults = new Properties();
        defaults.load(Objects.requireNonNull(
                Command.class.getResourceAsStream("/META-INF/controller-manager/defaults.properties")));
        return Arrays.asList(defaults.getProperty("management.endpoints.web.exposure.include")
                .split(","));
    }

    private void mavenMistakes(List<String> mistakes) throws IOException {
        if (words.contains("install") && !words.contains("-Prelease")) {
            mistakes.add("install without -Prelease, which brings sources and Javadoc");
        }
        String pom = Files.readString(PROJECT.resolve("pom.xml"));
        for (int i = 1; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("-pl")) {
                for (String module : words.get(++i).replace("!", "").split(",")) {
                    if (!pom.contains("<module>" + module + "</module>")) {
                        mistakes.add(module);
                    }
                }
            } else if (word.startsWith("-P")) {
                for (String profile : word.substring(2).split(",")) {
                    if (!pom.contains("<id>" + profile + "</id>")) {
                        mistakes.add(profile);
                    }
                }
            } else if (word.matches("-D(it\\.)?test=.*") && !word.endsWith("=none") && !isTestClass(word)) {
                mistakes.add(word);
            }
        }
    }

    private static boolean isTestClass(String option) throws IOException {
        String name = option.replaceAll(".*=|#.*", "").replace('.', '/').replace("*", "[^/]*");
        Pattern file = Pattern.compile("(.*/)?" + name + "\\.java");
        return Page.files("", ".java").stream()
                .anyMatch(source -> file.matcher(source.toString()).matches());
    }

    /** {@code docs/configuration.md} has all flags and properties: see {@code ConfigurationReferenceTests}. */
    private void flagMistakes(List<String> mistakes) throws IOException {
        String reference = Files.readString(PROJECT.resolve("docs/configuration.md"));
        for (String word : words) {
            String flag = word.replaceAll("=.*", "");
            boolean own = flag.startsWith("--controller-manager.") || flag.matches("--[\\w-]+");
            if (own && !reference.contains("`" + flag + "`") && !reference.contains("`" + flag.substring(2) + "`")) {
                mistakes.add(flag);
            }
        }
    }
}
