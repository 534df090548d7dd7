package io.controllermanager.webhook.internal.serving;

import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import org.apache.tomcat.util.net.SSLContext;
import org.jspecify.annotations.Nullable;

/** TLS as Tomcat asks for it, by key and trust managers of our own. It is initialised once and for all. */
final class ServerTls implements SSLContext {

    private final javax.net.ssl.SSLContext context;
    private final ServedLeaf leaf;
    private final @Nullable ClientTrust clients;

    /**
     * Made once.
     *
     * @param clients null if clients need no certificate
     */
    ServerTls(ServedLeaf leaf, @Nullable ClientTrust clients) {
        this.leaf = leaf;
        this.clients = clients;
        try {
            context = javax.net.ssl.SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {leaf},
                    clients == null ? new TrustManager[0] : new TrustManager[] {clients},
                    null);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    @Override
    public void init(KeyManager[] keys, TrustManager[] trust, SecureRandom random) throws KeyManagementException {
        // It is.
    }

    @Override
    public void destroy() {
        // Nothing is held.
    }

    @Override
    public SSLSessionContext getServerSessionContext() {
        return context.getServerSessionContext();
    }

    @Override
    public SSLEngine createSSLEngine() {
        return context.createSSLEngine();
    }

    @Override
    public SSLServerSocketFactory getServerSocketFactory() {
        return context.getServerSocketFactory();
    }

    @Override
    public SSLParameters getSupportedSSLParameters() {
        return context.getSupportedSSLParameters();
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return leaf.getCertificateChain(alias);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return clients == null ? new X509Certificate[0] : clients.getAcceptedIssuers();
    }
}
