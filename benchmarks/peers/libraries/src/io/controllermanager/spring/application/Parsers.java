package io.controllermanager.spring.application;

import io.controllermanager.spring.config.Nearest;
import java.util.List;
import java.util.Locale;
import org.apache.commons.text.similarity.LevenshteinDistance;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import peer.Cpu;

/** The command line's first reading in a new JVM: ours or picocli's, which is told of the same flags. Milliseconds. */
public final class Parsers {

    private Parsers() {}

    public static void main(String[] args) {
        String[] line = {
            "-kubeconfig=kubeconfig.yaml", "--leader-elect", "--controllers=*,-network", "--concurrent-foo-syncs", "4",
            "--namespace=a", "--namespace=b", "--kube-api-qps", "-1", "--server.port=9090", "--leader-elct"
        };
        long start = Cpu.ofThread();
        String result =
                switch (args[0]) {
                    case "ours" -> ours(line);
                    case "picocli" -> picocli(line);
                    case "nearest" -> Nearest.to("leader-elct", List.of("leader-elect", "namespace"));
                    default -> "" + LevenshteinDistance.getDefaultInstance().apply("leader-elct", "leader-elect");
                };
        System.out.printf(Locale.ROOT, "%s\t%.1f\t%s%n", args[0], (Cpu.ofThread() - start) / 1e6, result.replaceAll("\\s+", " "));
    }

    private static String ours(String[] line) {
        CommandLine parsed = CommandLine.parse(line);
        return parsed.settings() + " " + parsed.mistakes();
    }

    private static String picocli(String[] line) {
        CommandSpec spec = CommandSpec.create().name("controller-manager");
        for (Flag flag : Flag.ALL) {
            // A name with a pattern in it is beyond picocli: known controllers' names would have to be told beforehand.
            String name = flag.name().replace("<name>", "foo");
            OptionSpec.Builder option = OptionSpec.builder("--" + name, "-" + name).description(flag.description());
            spec.addOption(
                    switch (flag.kind()) {
                        case VALUE -> option.type(String.class).build();
                        case LIST -> option.type(List.class).auxiliaryTypes(String.class).splitRegex(",").build();
                        case SWITCH -> option.type(Boolean.class).arity("0..1").fallbackValue("true").build();
                    });
        }
        picocli.CommandLine parser = new picocli.CommandLine(spec).setUnmatchedArgumentsAllowed(true);
        var parsed = parser.parseArgs(line);
        StringBuilder result = new StringBuilder();
        parsed.matchedOptions().forEach(option -> result.append(option.longestName()).append('=').append(option.<Object>getValue()).append(' '));
        result.append(parsed.unmatched());
        result.append(new picocli.CommandLine.UnmatchedArgumentException(parser, List.of("--leader-elct")).getSuggestions());
        return result.toString();
    }
}
