package io.controllermanager.app.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** A POM as it is published. */
final class PublishedPom {

    /** All that is published, as {@code docs/releasing.md} lists it. */
    static final Set<String> ARTIFACTS = new TreeSet<>(Set.of(
            "controller-manager",
            "controller-manager-archetype",
            "controller-manager-bom",
            "controller-manager-crd",
            "controller-manager-foo",
            "controller-manager-maven-plugin",
            "controller-manager-network",
            "controller-manager-page-spring-boot-starter",
            "controller-manager-runtime",
            "controller-manager-spring-boot-starter",
            "controller-manager-test",
            "controller-manager-test-api-server",
            "controller-manager-types",
            "controller-manager-webhooks",
            "controller-manager-webhooks-spring-boot-starter"));

    private static final String GROUP = "io.controllermanager";

    private final Path file;
    private final String text;
    private final Document document;

    PublishedPom(Path file) throws Exception {
        this.file = file;
        this.text = Files.readString(file);
        this.document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(text)));
    }

    /** Fails unless it has what Maven Central asks for and names nothing that Maven Central does not have. */
    void expectComplete(String version) throws Exception {
        for (String element : List.of(
                "name",
                "description",
                "licenses/license/name",
                "licenses/license/url",
                "developers/developer/name",
                "developers/developer/url",
                "scm/connection",
                "scm/developerConnection")) {
            assertThat(at("/project/" + element)).as("%s of %s", element, file).isNotBlank();
        }
        assertThat(at("/project/groupId")).isEqualTo(GROUP);
        assertThat(at("/project/version")).isEqualTo(version);
        assertThat(at("/project/url")).as("url of %s", file).isEqualTo(ProjectCopy.URL);
        assertThat(at("/project/scm/url")).as("scm of %s", file).isEqualTo(ProjectCopy.URL + ".git");
        assertThat(at("/project/scm/tag")).as("scm of %s", file).isEqualTo("v" + version);
        assertThat(at("/project/parent")).as("parent of %s", file).isEmpty();
        assertThat(text).as(file.toString()).doesNotContain("${", "<profile>", "<module>");
        assertThat(ownArtifacts()).as("what %s names", file).isSubsetOf(ARTIFACTS);
        assertThat(at("//dependency[scope='test']/artifactId"))
                .as("tests of %s", file)
                .isEmpty();
    }

    String artifactId() throws Exception {
        return at("/project/artifactId");
    }

    String packaging() throws Exception {
        String packaging = at("/project/packaging");
        return packaging.isEmpty() ? "jar" : packaging;
    }

    /** Those of this project that it depends on or manages. */
    List<String> ownArtifacts() throws Exception {
        NodeList nodes = (NodeList)
                path().evaluate("//dependency[groupId='" + GROUP + "']/artifactId", document, XPathConstants.NODESET);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            names.add(nodes.item(i).getTextContent());
        }
        return names;
    }

    private String at(String path) throws Exception {
        return path().evaluate(path, document);
    }

    private static XPath path() {
        return XPathFactory.newInstance().newXPath();
    }
}
