package io.controllermanager.app.release;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.controllermanager.app.support.Manifests;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What one module depends on, as CycloneDX's Maven plugin has written it.
 *
 * @param components this project's own are left out
 */
record BillOfMaterials(List<Component> components) {

    /** The one of a module that this build has packaged. */
    static BillOfMaterials of(String module) throws IOException {
        Path file = Manifests.configDirectory().resolveSibling(module).resolve("target/bom.json");
        JsonNode bill = new ObjectMapper().readTree(file.toFile());
        return new BillOfMaterials(nodes(bill.path("components"))
                .map(BillOfMaterials::component)
                .filter(component -> !component.group().equals("io.controllermanager"))
                // Nothing but poms; Spring Boot's plugin leaves their jars out.
                .filter(component -> !component.name().startsWith("spring-boot-starter"))
                .toList());
    }

    private static Component component(JsonNode node) {
        return new Component(
                node.path("group").asText(),
                node.path("name").asText(),
                node.path("version").asText(),
                nodes(node.path("licenses")).flatMap(BillOfMaterials::offered).toList());
    }

    /** One, or those among which an expression gives the choice, such as {@code (CDDL-1.0 OR GPL-2.0-only)}. */
    private static Stream<String> offered(JsonNode choice) {
        if (choice.has("expression")) {
            return Stream.of(
                    choice.path("expression").asText().replaceAll("[()]", "").split(" OR "));
        }
        JsonNode licence = choice.path("license");
        return Stream.of(licence.path(licence.has("id") ? "id" : "name").asText());
    }

    private static Stream<JsonNode> nodes(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /**
     * One artifact.
     *
     * @param licences identifiers of SPDX, or whatever name its POM gives; more than one where its user may choose
     */
    record Component(String group, String name, String version, List<String> licences) {

        String id() {
            return group + ":" + name;
        }

        String file() {
            return name + "-" + version + ".jar";
        }
    }
}
