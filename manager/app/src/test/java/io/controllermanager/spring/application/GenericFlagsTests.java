package io.controllermanager.spring.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.controlplane.Binaries;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each flag of kube-controller-manager that is not of a single controller is known, by what that one says itself. */
@Tag("control-plane")
class GenericFlagsTests {

    /** Sections that no controller has the name of. */
    private static final Set<String> SECTIONS = Set.of(
            "Debugging",
            "Leader-migration",
            "Generic",
            "Secure serving",
            "Authentication",
            "Authorization",
            "Metrics",
            "Logs",
            "Misc",
            "Global");

    private static final Pattern SECTION = Pattern.compile("(?m)^(\\S.*) flags:$");
    private static final Pattern FLAG = Pattern.compile("^ +(?:-\\w, )?--([\\w-]+)");

    @Test
    void whatBecomesOfEachIsSaid() throws Exception {
        Set<String> known = Stream.concat(
                        Stream.of("help", "version"),
                        Stream.concat(Flag.ALL.stream().map(Flag::name), ForeignFlag.all().keySet().stream()))
                .collect(Collectors.toSet());
        Set<String> theirs = generic();
        assertThat(theirs).hasSizeGreaterThan(60);
        assertThat(known).containsAll(theirs);
        assertThat(theirs).containsAll(ForeignFlag.all().keySet());
    }

    private static Set<String> generic() throws Exception {
        Process process = new ProcessBuilder(
                        Binaries.locate().program("kube-controller-manager").toString(), "--help")
                .redirectErrorStream(true)
                .start();
        String help = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        Set<String> flags = new TreeSet<>();
        boolean generic = false;
        for (String line : help.lines().toList()) {
            Matcher section = SECTION.matcher(line);
            Matcher flag = FLAG.matcher(line);
            if (section.matches()) {
                generic = SECTIONS.contains(section.group(1));
            } else if (generic && flag.find()) {
                flags.add(flag.group(1));
            }
        }
        return flags;
    }
}
