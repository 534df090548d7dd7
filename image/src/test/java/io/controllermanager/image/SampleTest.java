package io.controllermanager.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SampleTest {

    private static final YAMLMapper YAML = new YAMLMapper();

    @TempDir
    Path directory;

    @Test
    void areReadFromFilesAndFoldersWithAllTheirDocuments() throws IOException {
        Path folder = Files.createDirectory(directory.resolve("samples"));
        Files.writeString(folder.resolve("b.yaml"), "---\n{kind: B, metadata: {name: b}}\n---\n{kind: C}\n---\n");
        Files.writeString(folder.resolve("a.json"), "{\"kind\": \"A\"}");
        Files.writeString(folder.resolve("kustomization.yaml"), "resources: [b.yaml]\n");
        Files.writeString(folder.resolve("README.md"), "Samples\n");
        Path crd = Files.writeString(directory.resolve("crd"), "kind: CustomResourceDefinition\n");

        List<Sample> samples = Sample.read(List.of(crd, folder));

        assertThat(samples).extracting(Sample::kind).containsExactly("CustomResourceDefinition", "A", "B", "C");
        assertThat(samples).filteredOn(Sample::isDefinition).hasSize(1);
    }

    @Test
    void nameTheFileThatIsSomethingElse() throws IOException {
        Path values = Files.writeString(directory.resolve("values.yaml"), "replicas: 2\n");

        assertThatIOException().isThrownBy(() -> Sample.read(List.of(values))).withMessageContaining("values.yaml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{deploymentName: web, replicas: 1} | {deploymentName: web-7, replicas: 1}",
                "{host: web.example.com}            | {host: web-7.example.com}",
                "{names: [web, website, my_web]}    | {names: [web-7, website, my_web-7]}",
                "{web: {on: true}}                  | {web: {on: true}}",
            })
    void copiesNameThemselvesWhereTheSampleDoes(String spec, String copied) throws IOException {
        Sample copy = sample("web", spec).copy(7);

        assertThat(copy.name()).isEqualTo("web-7");
        assertThat(copy.apiVersion()).isEqualTo("web.example.com/v1");
        assertThat(copy.object().get("spec")).isEqualTo(yaml(copied));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{replicas: 1, ports: [{port: 80}], name: \"1\", half: 0.5} | {spec: {replicas: 2, ports: [{port: 81}], name: \"1\", half: 0.5}}",
                "{cidr: 10.0.0.0/8}                                         | {spec: {cidr: 10.0.0.0/8}}",
            })
    void changeWhatTheyCanCount(String spec, String patch) throws IOException {
        Sample sample = sample("web", spec);

        assertThat(sample.change()).hasToString(yaml(patch).toString());
        assertThat(sample.object().get("spec")).isEqualTo(yaml(spec));
    }

    private static Sample sample(String name, String spec) throws IOException {
        return new Sample((ObjectNode) yaml(
                "{apiVersion: web.example.com/v1, kind: Web, metadata: {name: " + name + "}, spec: " + spec + "}"));
    }

    private static JsonNode yaml(String text) throws IOException {
        return YAML.readTree(text);
    }
}
