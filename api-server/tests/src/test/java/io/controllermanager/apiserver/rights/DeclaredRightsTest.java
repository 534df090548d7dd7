package io.controllermanager.apiserver.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import io.kubernetes.client.openapi.models.RbacV1Subject;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1PolicyRule;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@EmbeddedApiServer
class DeclaredRightsTest {

    private static final String FOLDER = "META-INF/controller-manager/rbac/";
    private static final String WEBSITE = """
            # What the controller website may do.
            hostRules:
              - apiGroups: [""]
                resources: [configmaps]
                verbs: [get]
            clusterRules:
              - apiGroups: [""]
                resources: [nodes]
                verbs: [get]
            rules:
              - apiGroups: [example.com]
                resources: [websites]
                verbs: [list, watch]
            """;
    private static final V1PolicyRule RULE = rule("example.com", "websites", "list", "watch");
    private static final V1PolicyRule EVENTS = rule("events.k8s.io", "events", "create", "patch");

    @TempDir
    Path directory;

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    /** One controller in a folder, as in the module under test, and one in a jar with a blank in its path. */
    @BeforeEach
    void putOnTheClassPath() throws IOException {
        Path classes = directory.resolve("classes");
        Path folder = Files.createDirectories(classes.resolve(FOLDER));
        Files.writeString(folder.resolve("website.yaml"), WEBSITE);
        Files.writeString(folder.resolve("wrong.yaml"), "rules: all\n");
        Files.writeString(folder.resolve("README.md"), "Not a controller's.\n");
        Path jar = directory.resolve("a library.jar");
        try (JarOutputStream entries = new JarOutputStream(Files.newOutputStream(jar))) {
            entries.putNextEntry(new ZipEntry(FOLDER));
            entries.putNextEntry(new ZipEntry(FOLDER + "backup.yaml"));
            entries.write("enabledByDefault: false\nrules: []\n".getBytes(StandardCharsets.UTF_8));
        }
        URL[] classPath = {classes.toUri().toURL(), jar.toUri().toURL()};
        Thread.currentThread().setContextClassLoader(new URLClassLoader(classPath, before));
    }

    @AfterEach
    void putBack() throws IOException {
        if (Thread.currentThread().getContextClassLoader() instanceof URLClassLoader own) {
            own.close();
        }
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void areReadFromFoldersAndJars() throws IOException {
        assertThat(DeclaredRights.all())
                .extracting(DeclaredRights::controller)
                .contains("backup", "website", "wrong")
                .isSorted()
                .noneMatch(name -> name.startsWith("README"));
        assertThat(DeclaredRights.of("website")).isEqualTo(new DeclaredRights("website", (ObjectNode)
                Json.readYaml(WEBSITE.getBytes(StandardCharsets.UTF_8))));
        assertThat(DeclaredRights.of("website").rules()).containsExactly(RULE);
        assertThat(DeclaredRights.of("website").hostRules()).containsExactly(rule("", "configmaps", "get"));
        assertThat(DeclaredRights.of("website").clusterRules()).containsExactly(rule("", "nodes", "get"));
        assertThat(DeclaredRights.of("backup").hostRules()).isEmpty();
        assertThat(DeclaredRights.of("backup").clusterRules()).isEmpty();
        assertThat(DeclaredRights.of("website").enabledByDefault()).isTrue();
        assertThat(DeclaredRights.of("backup").rules()).isEmpty();
        assertThat(DeclaredRights.of("backup").enabledByDefault()).isFalse();
    }

    @Test
    void nameTheFileThatIsMissingOrWrong() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeclaredRights.of("other"))
                .withMessageContaining(FOLDER + "other.yaml");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeclaredRights.of("wrong").rules())
                .withMessageContaining(FOLDER + "wrong.yaml has no list called rules");
    }

    @Test
    void areGrantedToEachUserAndNothingElseButEvents(ApiServer server) throws ApiException {
        DeclaredRights website = DeclaredRights.of("website");
        website.grantTo("jane", server.client());
        DeclaredRights.of("website").grantTo("system:serviceaccount:default:website", server.client());
        website.grantTo("jane", server.client());

        RbacAuthorizationV1Api rbac = new RbacAuthorizationV1Api(server.client());
        V1ClusterRole role = rbac.readClusterRole("declared-website").execute();
        assertThat(role.getRules()).containsExactly(RULE, rule("", "nodes", "get"), EVENTS);
        assertThat(rbac.readNamespacedRole("declared-website", "default")
                        .execute()
                        .getRules())
                .containsExactly(rule("", "configmaps", "get"));
        assertThat(rbac.readNamespacedRoleBinding("declared-website:jane", "default")
                        .execute()
                        .getSubjects())
                .extracting(RbacV1Subject::getName)
                .containsExactly("jane");
        List<V1ClusterRoleBinding> bindings = rbac.listClusterRoleBinding().execute().getItems().stream()
                .filter(binding -> binding.getRoleRef().getName().equals("declared-website"))
                .toList();
        assertThat(bindings)
                .flatExtracting(V1ClusterRoleBinding::getSubjects)
                .extracting(RbacV1Subject::getKind, RbacV1Subject::getName)
                .containsExactlyInAnyOrder(
                        tuple("User", "jane"), tuple("User", "system:serviceaccount:default:website"));
    }

    private static V1PolicyRule rule(String group, String resource, String... verbs) {
        return new V1PolicyRule()
                .addApiGroupsItem(group)
                .addResourcesItem(resource)
                .verbs(List.of(verbs));
    }
}
