package io.controllermanager.app.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.app.support.Manifests;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.testing.apiserver.rights.DeclaredRights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/**
 * Each controller says in its own folder what it may do; {@code config} and the chart, which are folders that have to
 * stand alone, say the same. To write them anew, run this test with {@code -Drbac.write=true}.
 */
class RbacTests {

    private static final Path CONFIG = Manifests.configDirectory();
    private static final String RULES = "\nrules:\n";
    private static final boolean WRITE = Boolean.getBoolean("rbac.write");

    @Test
    void eachControllerDeclaresItsRights() {
        Map<String, Boolean> declared = new TreeMap<>();
        DeclaredRights.all().forEach(rights -> declared.put(rights.controller(), rights.enabledByDefault()));

        ApplicationContextRunner controllers = new ApplicationContextRunner().withUserConfiguration(controllers());
        controllers.run(context -> assertThat(context.getBeansOfType(ControllerDescriptor.class).values().stream()
                        .collect(Collectors.toMap(ControllerDescriptor::name, ControllerDescriptor::enabledByDefault)))
                .containsKeys("foo", "network")
                .isEqualTo(declared));
        assertThat(DeclaredRights.all())
                .allSatisfy(rights -> assertThat(rights.rules()).isNotNull());
    }

    /** The auto-configurations that the dependencies bring, apart from the host's own. */
    private static Class<?>[] controllers() {
        ClassLoader loader = RbacTests.class.getClassLoader();
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith("io.controllermanager."))
                .filter(name -> !name.startsWith("io.controllermanager.spring."))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new);
    }

    @Test
    void theChartCarriesWhatTheControllersDeclare() throws IOException {
        Path folder = Chart.own().directory().resolve("rbac");
        Map<String, String> declared = new TreeMap<>();
        DeclaredRights.all().forEach(rights -> declared.put(rights.controller() + ".yaml", rights.text()));
        if (WRITE) {
            Files.createDirectories(folder);
            for (String name : Chart.contents(folder).keySet()) {
                Files.delete(folder.resolve(name));
            }
            for (Map.Entry<String, String> file : declared.entrySet()) {
                Files.writeString(folder.resolve(file.getKey()), file.getValue());
            }
        }
        assertThat(Chart.contents(folder)).isEqualTo(declared);
    }

    @Test
    void theRoleInConfigIsWhatTheControllersDeclare() throws IOException {
        Path file = CONFIG.resolve("rbac/role.yaml");
        String role = role();
        if (WRITE) {
            Files.writeString(file, role);
        }
        assertThat(file).hasContent(role);
    }

    private static String role() {
        StringBuilder role = new StringBuilder("""
                # What each controller needs, and no more. Whoever turns a controller off may remove its rules.
                # Written by RbacTests from what the controllers declare: change controllers/*/.../rbac/*.yaml.
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata:
                  name: controller-manager
                  labels:
                    app.kubernetes.io/name: controller-manager
                rules:
                """);
        DeclaredRights.all()
                .forEach(rights -> role.append("  # ")
                        .append(rights.controller())
                        .append('\n')
                        .append(rulesAsWritten(rights.text())));
        return role.append("""
                  # Events of all controllers
                  - apiGroups: [events.k8s.io]
                    resources: [events]
                    verbs: [create, patch]
                """).toString();
    }

    private static String rulesAsWritten(String text) {
        int start = text.indexOf(RULES);
        assertThat(start).as(text).isNotNegative();
        return text.substring(start + RULES.length());
    }
}
