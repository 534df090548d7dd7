package io.controllermanager.foo;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.junit.EmbeddedApiServer;
import io.kubernetes.client.openapi.ApiClient;
import org.junit.jupiter.api.Test;

/** What docs/embedded-api-server.md shows of the annotation alone. */
@EmbeddedApiServer
class MyControllerTest {

    @Test
    void survivesACutWatch(ApiServer server, ApiClient client) {
        // ...
    }
}
