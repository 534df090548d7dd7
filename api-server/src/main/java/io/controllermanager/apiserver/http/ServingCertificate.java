package io.controllermanager.apiserver.http;

import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import okhttp3.tls.HeldCertificate;

/** A key and a certificate for the loopback interface, and the authority that has signed it. Both live a year. */
public final class ServingCertificate {

    private final HeldCertificate authority =
            called("embedded-api-server-ca").certificateAuthority(0).build();
    private final HeldCertificate server = called("embedded-api-server")
            .addSubjectAlternativeName("127.0.0.1")
            .addSubjectAlternativeName("localhost")
            .signedBy(authority)
            .build();

    /** Makes both anew. */
    public ServingCertificate() {}

    private static HeldCertificate.Builder called(String name) {
        return new HeldCertificate.Builder().commonName(name).duration(365, TimeUnit.DAYS);
    }

    /** Whom clients are to trust, in PEM. */
    public byte[] authority() {
        return authority.certificatePem().getBytes(StandardCharsets.US_ASCII);
    }

    /** TLS that offers HTTP/2 and HTTP/1.1. */
    SslContext context() {
        try {
            return SslContextBuilder.forServer(server.keyPair().getPrivate(), server.certificate())
                    .sslProvider(SslProvider.JDK)
                    .applicationProtocolConfig(new ApplicationProtocolConfig(
                            ApplicationProtocolConfig.Protocol.ALPN,
                            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                            ApplicationProtocolNames.HTTP_2,
                            ApplicationProtocolNames.HTTP_1_1))
                    .build();
        } catch (SSLException e) {
            throw new IllegalStateException("TLS does not work with a certificate that was made for it", e);
        }
    }
}
