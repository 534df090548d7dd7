package io.controllermanager.foo;

import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;

/** What docs/embedded-api-server.md shows of tests on both servers. */
@OnBothServers
class FooControllerTest {

    FooControllerTest(TestedServer server) {
        // server.client(), server.clientFor(user), server.kubeconfig(), server.createNamespace()
    }
}
