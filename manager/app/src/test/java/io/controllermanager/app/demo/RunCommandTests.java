package io.controllermanager.app.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.mock.env.MockEnvironment;

/** README's run command. */
class RunCommandTests {

    @Test
    void findsTheOneClassThatItCanStart() throws Exception {
        assertThat(mainClasses(TestControllerManagerApplication.class))
                .containsExactly(TestControllerManagerApplication.class.getName());
    }

    /** The command sets none. */
    @Test
    void needsNoPortToBeSet() {
        assertThatCode(() -> new TestControllerManagerApplication.DemoConfiguration()
                        .freePort(new MockEnvironment())
                        .customize(new TomcatServletWebServerFactory()))
                .doesNotThrowAnyException();
    }

    /**
     * The command ends before the phase of our plugin, which Maven need not have then: nothing packages it. Where a POM names no
     * phase, Maven asks the plugin, and fails.
     */
    @Test
    void comesToItsEndWithoutTheMavenPluginThatIsBuiltHere() throws IOException {
        assertThat(Files.readString(Path.of("..", "..", "pom.xml")))
                .containsPattern("<phase>process-test-classes</phase>\\s*<goals>\\s*<goal>\\$\\{goal.files}</goal>");
    }

    /** All that {@code spring-boot:test-run} takes for an application. */
    private static List<String> mainClasses(Class<?> among) throws IOException, URISyntaxException {
        Path root = Path.of(
                among.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name -> name.substring(0, name.length() - ".class".length())
                            .replace(root.getFileSystem().getSeparator(), "."))
                    .filter(RunCommandTests::canBeStarted)
                    .toList();
        }
    }

    private static boolean canBeStarted(String name) {
        try {
            Method main = Class.forName(name, false, RunCommandTests.class.getClassLoader())
                    .getDeclaredMethod("main", String[].class);
            return Modifier.isStatic(main.getModifiers()) && Modifier.isPublic(main.getModifiers());
        } catch (NoSuchMethodException e) {
            return false;
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
