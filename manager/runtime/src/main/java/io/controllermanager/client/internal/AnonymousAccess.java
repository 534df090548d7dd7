package io.controllermanager.client.internal;

import io.kubernetes.client.openapi.ApiClient;
import org.jspecify.annotations.Nullable;

/** A server without credentials, as a URL alone gives. */
record AnonymousAccess(String server, String source) implements ApiAccess {

    @Override
    public @Nullable String namespace() {
        return null;
    }

    @Override
    public void configure(ApiClient target) {
        new ClientAccess(server, true, null, null, null).apply(target, source);
    }
}
