package io.controllermanager.spring.application;

import io.controllermanager.spring.config.Nearest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The command line, taken apart as Go's flag packages do it: one or two dashes, the value after {@code =} or as the next
 * argument, a switch that may stand alone. Options with a dot in their name are properties.
 *
 * <p>Measured beside picocli ({@code benchmarks/results/libraries.txt}): that takes 2.4 times the processor time in a new JVM,
 * and does not know names with a part that varies, such as {@code --concurrent-<name>-syncs}.
 *
 * @param settings the properties that flags set
 * @param unknown one line for each argument that is no flag, which is a mistake unless the application reads it
 * @param wrong one line for each flag without the value that it needs, or with one that is not allowed
 * @param help whether {@code --help} is among the arguments
 * @param version whether {@code --version} is among the arguments
 */
record CommandLine(
        Map<String, Setting> settings, List<String> unknown, List<String> wrong, boolean help, boolean version) {

    /** Options without a dot that Spring Boot itself has. */
    private static final Set<String> SPRING = Set.of("debug", "trace");

    /**
     * What a flag sets.
     *
     * @param value the property's value
     * @param flag the flag as given, without its value
     * @param given the value as given
     */
    record Setting(String value, String flag, String given) {}

    static CommandLine parse(String... arguments) {
        Parser parser = new Parser(arguments);
        parser.parse();
        return new CommandLine(
                Collections.unmodifiableMap(parser.settings),
                List.copyOf(parser.unknown),
                List.copyOf(parser.wrong),
                parser.help,
                parser.version);
    }

    /** One line for each mistake, where the application reads nothing from the command line but flags and properties. */
    List<String> mistakes() {
        return Stream.concat(unknown.stream(), wrong.stream()).toList();
    }

    private static final class Parser {

        private final Deque<String> rest;
        private final Map<String, Setting> settings = new LinkedHashMap<>();
        private final List<String> unknown = new ArrayList<>();
        private final List<String> wrong = new ArrayList<>();
        private boolean help;
        private boolean version;

        Parser(String... arguments) {
            this.rest = new ArrayDeque<>(Arrays.asList(arguments));
        }

        void parse() {
            while (!rest.isEmpty()) {
                String argument = rest.removeFirst();
                if (!argument.startsWith("-") || argument.matches("-+")) {
                    unknown.add("unexpected argument: " + argument);
                    continue;
                }
                String option = argument.replaceFirst("^-v(?=\\d)", "--v=").replaceFirst("^--?", "");
                int equals = option.indexOf('=');
                String name = equals < 0 ? option : option.substring(0, equals);
                String value = equals < 0 ? null : option.substring(equals + 1);
                if (name.contains(".") || SPRING.contains(name)) {
                    property(argument, name, value);
                } else if (name.equals("help") || name.equals("h")) {
                    help = true;
                } else if (name.equals("version")) {
                    version = true;
                } else {
                    flag(name, value);
                }
            }
            if (settings.containsKey(Flag.CERTIFICATE) != settings.containsKey(Flag.PRIVATE_KEY)) {
                wrong.add("--tls-cert-file and --tls-private-key-file: there is one without the other");
            }
        }

        /** Spring reads those with two dashes itself, and counts one with a single dash among the arguments. */
        private void property(String argument, String name, @Nullable String value) {
            if (!argument.startsWith("--")) {
                settings.put(name, new Setting(value == null ? "" : value, "-" + name, value == null ? "" : value));
            }
        }

        private void flag(String name, @Nullable String given) {
            Optional<Flag.Match> match = Flag.find(name);
            if (match.isEmpty()) {
                foreign(name, given);
                return;
            }
            Flag flag = match.get().flag();
            String value = value(flag.kind(), given);
            if (value == null) {
                wrong.add("flag needs a value: --" + name);
                return;
            }
            Setting before = settings.get(match.get().property());
            if (flag.kind() == Flag.Kind.LIST && before != null) {
                value = before.given() + "," + value;
            }
            try {
                String converted = flag.conversion().apply(value);
                settings.put(match.get().property(), new Setting(converted, "--" + name, value));
            } catch (IllegalArgumentException e) {
                wrong.add("--%s=%s: %s".formatted(name, value, e.getMessage()));
            }
            flag.beside().forEach((property, set) -> settings.put(property, new Setting(set, "--" + name, set)));
        }

        /** One of kube-controller-manager's that sets nothing here. */
        private void foreign(String name, @Nullable String given) {
            ForeignFlag flag = ForeignFlag.all().get(name);
            if (flag == null) {
                unknown.add("unknown flag: --" + name + suggestion(name));
                return;
            }
            String value = value(flag.kind(), given);
            if (!flag.accepted()) {
                unknown.add("--%s=%s: %s".formatted(name, value == null ? "" : value, flag.sentence()));
            }
        }

        private @Nullable String value(Flag.Kind kind, @Nullable String given) {
            return given != null ? given : kind == Flag.Kind.SWITCH ? "true" : rest.pollFirst();
        }

        private static String suggestion(String name) {
            String nearest = Nearest.to(name, Flag.ALL.stream().map(Flag::name).toList());
            return nearest == null ? "; --help lists those there are" : " (did you mean --" + nearest + "?)";
        }
    }
}
