package io.controllermanager.client;

import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.ClientCertificateAuthentication;
import java.io.IOException;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
import okhttp3.Connection;
import okhttp3.Interceptor;
import okhttp3.Response;
import okio.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves who asks by a client certificate that may be renewed: when the API server answers 401, it is read again, and if
 * there is another the connection is closed (a connection keeps the certificate it was opened with, and whoever else uses
 * it would be refused next) and the request is sent once more. As client-go's {@code transport/cert_rotation.go}, which
 * looks at the files every few minutes instead.
 *
 * <p>Stands among a client's interceptors and among its network interceptors. Safe for use by several threads.
 */
final class ClientCertificates implements Interceptor {

    private static final Logger log = LoggerFactory.getLogger(ClientCertificates.class);

    /** Many requests may be refused at once, and reading may mean to run a plugin. */
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

    private final Supplier<@Nullable Identity> source;
    private final Clock clock;
    private final RenewableKeys keys;
    private long readNanos;

    /**
     * A certificate and its key.
     *
     * @param certificate in PEM
     * @param key in PEM
     */
    record Identity(ByteString certificate, ByteString key) {

        X509KeyManager keys() {
            ApiClient reading = new ApiClient();
            new ClientCertificateAuthentication(certificate.toByteArray(), key.toByteArray()).provide(reading);
            for (KeyManager manager : reading.getKeyManagers()) {
                if (manager instanceof X509KeyManager usable) {
                    return usable;
                }
            }
            throw new IllegalArgumentException("there is no key");
        }
    }

    /**
     * Uses an identity until it is refused.
     *
     * @param source reads the present identity; null if it cannot be read
     */
    ClientCertificates(Identity first, Supplier<@Nullable Identity> source, Clock clock) {
        this.source = source;
        this.clock = clock;
        this.keys = new RenewableKeys(first.keys());
        this.readNanos = clock.nanoTime();
    }

    /** What TLS asks for the certificate. */
    KeyManager keyManager() {
        return keys;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Connection connection = chain.connection();
        Response response = chain.proceed(chain.request());
        if (response.code() != 401) {
            return response;
        }
        if (connection != null) {
            renew(response, connection);
            return response;
        }
        if (!isOutdated(response)
                || (chain.request().body() != null && chain.request().body().isOneShot())) {
            return response;
        }
        response.close();
        return chain.proceed(chain.request());
    }

    /** Whether a request was refused that came with another certificate than the present one. */
    private boolean isOutdated(Response refused) {
        Certificate sent = sent(refused);
        return sent != null && !sent.equals(keys.certificate());
    }

    private static @Nullable Certificate sent(Response response) {
        List<Certificate> chain =
                response.handshake() == null ? List.of() : response.handshake().localCertificates();
        return chain.isEmpty() ? null : chain.get(0);
    }

    private void renew(Response refused, Connection connection) {
        if (sent(refused) == null) {
            return;
        }
        if (!isOutdated(refused)) {
            read();
        }
        if (isOutdated(refused)) {
            close(connection.socket());
        }
    }

    private synchronized void read() {
        long now = clock.nanoTime();
        if (now - readNanos < SHORTEST_INTERVAL.toNanos()) {
            return;
        }
        readNanos = now;
        try {
            Identity identity = source.get();
            if (identity != null) {
                keys.current = identity.keys();
            }
        } catch (RuntimeException e) {
            // Half-written, perhaps; the next refusal reads it again.
            log.atWarn().setCause(e).log("The client certificate cannot be renewed");
        }
    }

    private static void close(Socket socket) {
        if (socket instanceof SSLSocket secure) {
            forgetSessions(secure.getSession());
        }
        try {
            socket.close();
        } catch (IOException e) {
            // It is as good as closed.
        }
    }

    /** A session that is resumed is that of the old certificate. */
    private static void forgetSessions(SSLSession session) {
        SSLSessionContext context = session.getSessionContext();
        if (context != null) {
            for (byte[] id : Collections.list(context.getIds())) {
                SSLSession other = context.getSession(id);
                if (other != null) {
                    other.invalidate();
                }
            }
        }
        session.invalidate();
    }

    /** Hands out whichever key is the present one. */
    private static final class RenewableKeys extends X509ExtendedKeyManager {

        private volatile X509KeyManager current;

        RenewableKeys(X509KeyManager first) {
            this.current = first;
        }

        /** The first one's, which is the only one. */
        @Nullable
        Certificate certificate() {
            X509KeyManager now = current;
            for (String type : List.of("EC", "RSA", "EdDSA", "DSA")) {
                String[] aliases = now.getClientAliases(type, null);
                if (aliases != null && aliases.length > 0) {
                    X509Certificate[] chain = now.getCertificateChain(aliases[0]);
                    return chain == null || chain.length == 0 ? null : chain[0];
                }
            }
            return null;
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return current.getClientAliases(keyType, issuers);
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return current.chooseClientAlias(keyType, issuers, socket);
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return current.chooseClientAlias(keyType, issuers, null);
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return current.getCertificateChain(alias);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return current.getPrivateKey(alias);
        }
    }
}
