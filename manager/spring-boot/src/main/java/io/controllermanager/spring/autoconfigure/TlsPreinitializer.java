package io.controllermanager.spring.autoconfigure;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;

/**
 * Makes the first message of a TLS connection while Spring makes beans, beside them, where there is a second processor: in
 * a JVM that has just started the tables of an elliptic curve cost more than the rest of a connection, and the connection
 * to the API server comes when all else waits for it. Nothing is sent and no file is read.
 */
final class TlsPreinitializer implements BackgroundPreinitializer {

    @Override
    public void preinitialize() throws GeneralSecurityException, SSLException {
        SSLContext context = SSLContext.getInstance("TLS");
        // Nobody is trusted, so that the platform's certificates are not read.
        context.init(null, new TrustManager[0], null);
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        engine.wrap(
                ByteBuffer.allocate(0), ByteBuffer.allocate(engine.getSession().getPacketBufferSize()));
    }
}
