package io.controllermanager.apiserver.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.controllermanager.apiserver.ApiServer;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.RbacAuthorizationV1Api;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrantedRightsTest {

    @EmbeddedApiServer(authorization = true, user = "jane", rights = "maps")
    private static final class OfJane {}

    @EmbeddedApiServer(authorization = true, rights = "maps")
    private static final class OfNobody {}

    @Test
    void areThereBeforeAnybodyConnects(@TempDir Path classes) throws Exception {
        Path folder = Files.createDirectories(classes.resolve("META-INF/controller-manager/rbac"));
        Files.writeString(
                folder.resolve("maps.yaml"), "rules: [{apiGroups: [''], resources: [configmaps], verbs: [list]}]");
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader with = new URLClassLoader(new URL[] {classes.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(with);
            try (ApiServer server = start(OfJane.class)) {
                assertThat(new CoreV1Api(server.clientFor("jane"))
                                .listNamespacedConfigMap("default")
                                .execute()
                                .getItems())
                        .isEmpty();
                assertThat(server.refusals()).isEmpty();
                assertThat(new RbacAuthorizationV1Api(server.client())
                                .readClusterRole("declared-maps")
                                .execute())
                        .isNotNull();
            }
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void needAUser() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start(OfNobody.class))
                .withMessage("rights = [maps] needs a user, to whom they are granted");
    }

    private static ApiServer start(Class<?> annotated) {
        return EmbeddedApiServerExtension.start(annotated.getAnnotation(EmbeddedApiServer.class));
    }
}
