package io.controllermanager.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.app.support.Manifests;
import io.controllermanager.app.support.YamlDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the documentation shows can be followed: Java stands in a source that is compiled, XML in a pom, YAML is what it looks
 * like, and commands name what is there. {@code examples/website} is compiled by {@code WebsiteExampleIT}, {@code
 * examples/tenant-database} by {@code TenantDatabaseExampleIT}, {@code examples/plain} by {@code OutsideConsumerIT}.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // the sources are read once
class DocumentationTests {

    private final List<String> java = sources(".java");
    private final List<String> poms = sources("pom.xml");
    private final List<String> manifests = sources(".yaml");

    DocumentationTests() throws IOException {}

    @ParameterizedTest
    @MethodSource
    void javaStandsInASource(Page.Block block) {
        assertStandsIn(java, block);
    }

    /** The steps of the tutorial are sources of their own: see {@link TutorialTests}. */
    static Stream<Page.Block> javaStandsInASource() throws IOException {
        return blocks("java")
                .filter(block -> !block.place().startsWith("docs/tutorial.md")
                        || block.text().contains("@Test"));
    }

    @ParameterizedTest
    @MethodSource
    void xmlStandsInAPom(Page.Block block) {
        assertStandsIn(poms, block);
    }

    static Stream<Page.Block> xmlStandsInAPom() throws IOException {
        return blocks("xml");
    }

    @ParameterizedTest
    @MethodSource
    void yamlStandsInAFileUnlessItIsWhole(Page.Block block) {
        if (block.isWhole()) {
            assertThat(YamlDocument.all(block.text())).isNotEmpty();
        } else {
            assertStandsIn(manifests, block);
        }
    }

    static Stream<Page.Block> yamlStandsInAFileUnlessItIsWhole() throws IOException {
        return blocks("yaml");
    }

    @Test
    void theApiServerTakesTheManifests(@TempDir Path directory) throws Exception {
        try (ApiServer server = ApiServer.start()) {
            Manifests.applyCrds(server.client(), Page.PROJECT.resolve("config"));
            for (Path crd : Page.files("examples", ".example.com.yaml")) {
                Manifests.apply(server.client(), crd);
            }
            Path file = directory.resolve("manifest.yaml");
            List<String> objects = objects();
            assertThat(objects).hasSizeGreaterThanOrEqualTo(2);
            for (String object : objects) {
                Files.writeString(file, object);
                Manifests.apply(server.client(), file);
            }
        }
    }

    private static List<String> objects() throws IOException {
        return Stream.concat(
                        blocks("yaml").map(Page.Block::text).filter(text -> text.contains("\nkind: ")),
                        blocks("sh").flatMap(block -> block.manifests().stream()))
                .distinct()
                .toList();
    }

    @ParameterizedTest
    @MethodSource
    void commandsNameWhatIsThere(Page.Block block) throws IOException {
        for (Command command : block.commands()) {
            assertThat(command.mistakes()).as(command.toString()).isEmpty();
        }
    }

    static Stream<Page.Block> commandsNameWhatIsThere() throws IOException {
        return blocks("sh");
    }

    /** A block that is no code says so, by {@code text}. */
    @Test
    void everyBlockHasALanguage() throws IOException {
        assertThat(Page.all().stream().flatMap(page -> page.blocks().stream()))
                .hasSizeGreaterThan(40)
                .extracting(Page.Block::language)
                .containsOnly("java", "xml", "yaml", "sh", "text");
    }

    private static void assertStandsIn(List<String> sources, Page.Block block) {
        assertThat(sources.stream().anyMatch(block::standsIn)).as(block.text()).isTrue();
    }

    private static Stream<Page.Block> blocks(String language) throws IOException {
        return Page.all().stream()
                .flatMap(page -> page.blocks().stream())
                .filter(block -> block.language().equals(language));
    }

    private static List<String> sources(String ending) throws IOException {
        List<String> sources = new ArrayList<>();
        for (Path file : Page.files("", ending)) {
            sources.add(Page.normalise(Files.readString(file)));
        }
        return sources;
    }
}
