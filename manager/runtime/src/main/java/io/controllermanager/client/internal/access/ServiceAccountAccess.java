package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.client.internal.transport.CertificateAuthority;
import io.controllermanager.client.internal.transport.Renewable;
import io.controllermanager.client.internal.transport.ServerProxy;
import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/** What Kubernetes puts into a pod: the API server's address, its certificate authority, and a token that is renewed. */
record ServiceAccountAccess(
        String server,
        @Nullable String namespace,
        @Nullable Path authority,
        Path token,
        Clock clock,
        @Nullable ServerProxy proxy)
        implements ApiAccess {

    @Override
    public String source() {
        return "service account of this pod";
    }

    @Override
    public void configure(ApiClient target) {
        Path file = authority;
        Renewable<CertificateAuthority> ca = file == null
                ? null
                : CertificateAuthority.renewable(
                        file.toString(), readAuthority(file), () -> readAuthority(file), clock);
        BearerTokens tokens =
                new BearerTokens(() -> ApiAccessResolver.read(token), clock, "service account file " + token);
        new ClientAccess(server, null, true, ca, null, List.of(tokens), proxy).apply(target, source());
    }

    private static CertificateAuthority readAuthority(Path file) {
        try {
            return new CertificateAuthority(ByteString.of(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw new ApiAccessException("cannot read the service account's " + file + ": " + e.getMessage(), e);
        }
    }
}
