package io.controllermanager.spring.autoconfigure;

import java.nio.file.Path;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * Where the API server is. A bean of this type, such as a test server brings, wins over properties and over whatever is
 * found in the environment.
 */
@FunctionalInterface
public interface KubernetesConnectionDetails extends ConnectionDetails {

    /** A kubeconfig file; its current context is used. Asked for each time the host starts. */
    Path getKubeconfig();
}
