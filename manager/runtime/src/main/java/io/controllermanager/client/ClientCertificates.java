package io.controllermanager.client;

import io.controllermanager.time.Clock;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.ClientCertificateAuthentication;
import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;
import okhttp3.Connection;
import okhttp3.Handshake;
import okhttp3.Interceptor;
import okhttp3.Response;
import okio.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves who asks by a client certificate that may be renewed. It is read again when it has a certain age or will soon have
 * run out, and when the API server answers 401, whose request is then sent once more. If there is another by then,
 * connections are closed before they are used again: a connection keeps the certificate that it was opened with. As
 * client-go's {@code transport/cert_rotation.go}, which looks every five minutes, whether anything is sent or not, and then
 * closes all connections at once.
 *
 * <p>Stands among a client's interceptors and among its network interceptors. Safe for use by several threads.
 */
final class ClientCertificates implements Interceptor {

    private static final Logger log = LoggerFactory.getLogger(ClientCertificates.class);

    /** Many requests may be refused at once, and reading may mean to run a plugin. */
    private static final Duration SHORTEST_INTERVAL = Duration.ofSeconds(1);

    /** How long before its end a certificate is asked for anew, and how often then. */
    private static final Duration LAST_MINUTE = Duration.ofMinutes(1);

    /** How often a request may be taken from one outdated connection to the next. */
    private static final int MOST_CONNECTIONS = 20;

    private final Supplier<@Nullable Identity> source;
    private final @Nullable Duration lifetime;
    private final Clock clock;
    private final RenewableKeys keys;
    private final Lock reading = new ReentrantLock();
    private volatile Identity identity;
    private volatile long readNanos;

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

    /** Before anything is sent: the connection at hand was opened with another certificate than the present one. */
    private static final class OutdatedConnectionException extends IOException {
        private static final long serialVersionUID = 1L;

        OutdatedConnectionException() {
            super("the connection was opened with a client certificate that has been replaced");
        }
    }

    /**
     * Uses an identity until there is another.
     *
     * @param source reads the present identity; null if it cannot be read
     * @param lifetime after which it is read again; null for a source that is asked only when the certificate is about to
     *     run out or has been refused
     */
    ClientCertificates(Identity first, Supplier<@Nullable Identity> source, @Nullable Duration lifetime, Clock clock) {
        this.source = source;
        this.lifetime = lifetime;
        this.clock = clock;
        this.identity = first;
        this.keys = new RenewableKeys(Present.of(first));
        this.readNanos = clock.nanoTime();
    }

    /** What TLS asks for the certificate. */
    KeyManager keyManager() {
        return keys;
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        Connection connection = chain.connection();
        return connection == null ? overAnyConnection(chain) : over(connection, chain);
    }

    private Response overAnyConnection(Chain chain) throws IOException {
        if (isDue()) {
            read();
        }
        Response response = proceed(chain);
        if (response.code() != 401
                || !isOutdated(response)
                || (chain.request().body() != null && chain.request().body().isOneShot())) {
            return response;
        }
        response.close();
        return proceed(chain);
    }

    private static Response proceed(Chain chain) throws IOException {
        for (int outdated = 0; ; outdated++) {
            try {
                return chain.proceed(chain.request());
            } catch (OutdatedConnectionException e) {
                if (outdated == MOST_CONNECTIONS) {
                    throw e;
                }
            }
        }
    }

    private Response over(Connection connection, Chain chain) throws IOException {
        if (isOutdated(connection.handshake())) {
            close(connection.socket());
            throw new OutdatedConnectionException();
        }
        Response response = chain.proceed(chain.request());
        if (response.code() == 401) {
            renew(response, connection);
        }
        return response;
    }

    private boolean isDue() {
        long age = clock.nanoTime() - readNanos;
        if (lifetime != null && age >= lifetime.toNanos()) {
            return true;
        }
        X509Certificate present = keys.certificate();
        return age >= LAST_MINUTE.toNanos()
                && present != null
                && present.getNotAfter().toInstant().isBefore(clock.now().plus(LAST_MINUTE));
    }

    /** Whether a request was refused that came with another certificate than the present one. */
    private boolean isOutdated(Response refused) {
        return isOutdated(refused.handshake());
    }

    private boolean isOutdated(@Nullable Handshake handshake) {
        Certificate sent = sent(handshake);
        return sent != null && !sent.equals(keys.certificate());
    }

    private static @Nullable Certificate sent(@Nullable Handshake handshake) {
        List<Certificate> chain = handshake == null ? List.of() : handshake.localCertificates();
        return chain.isEmpty() ? null : chain.get(0);
    }

    private void renew(Response refused, Connection connection) {
        if (sent(refused.handshake()) == null) {
            return;
        }
        if (!isOutdated(refused)) {
            reading.lock();
            try {
                readAgain();
            } finally {
                reading.unlock();
            }
        }
        if (isOutdated(refused)) {
            close(connection.socket());
        }
    }

    /** By one thread; the others go on with what there is. */
    private void read() {
        if (reading.tryLock()) {
            try {
                readAgain();
            } finally {
                reading.unlock();
            }
        }
    }

    private void readAgain() {
        long now = clock.nanoTime();
        if (now - readNanos < SHORTEST_INTERVAL.toNanos()) {
            return;
        }
        readNanos = now;
        try {
            Identity read = source.get();
            if (read != null && !read.equals(identity)) {
                keys.present = Present.of(read);
                identity = read;
                log.info("The client certificate has been renewed");
            }
        } catch (RuntimeException e) {
            // Half-written, perhaps; it is read again before long.
            log.atWarn().setCause(e).log("The client certificate cannot be renewed: {}", FailureMessage.of(e));
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

    /**
     * A certificate as TLS asks for it.
     *
     * @param manager holds it and its key
     * @param certificate the one itself, null if the manager has none
     */
    private record Present(X509KeyManager manager, @Nullable X509Certificate certificate) {

        static Present of(Identity identity) {
            X509KeyManager manager = identity.keys();
            for (String type : List.of("EC", "RSA", "EdDSA", "DSA")) {
                String[] aliases = manager.getClientAliases(type, null);
                if (aliases != null && aliases.length > 0) {
                    X509Certificate[] chain = manager.getCertificateChain(aliases[0]);
                    if (chain != null && chain.length > 0) {
                        requirePair(chain[0], manager.getPrivateKey(aliases[0]));
                        return new Present(manager, chain[0]);
                    }
                }
            }
            return new Present(manager, null);
        }

        /** Two files may be read while one has been replaced and the other has not. */
        private static void requirePair(X509Certificate certificate, PrivateKey key) {
            String algorithm = switch (key.getAlgorithm()) {
                case "EC" -> "SHA256withECDSA";
                case "RSA" -> "SHA256withRSA";
                default -> null;
            };
            if (algorithm == null) {
                return;
            }
            try {
                Signature signature = Signature.getInstance(algorithm);
                signature.initSign(key);
                byte[] signed = signature.sign();
                signature.initVerify(certificate.getPublicKey());
                if (signature.verify(signed)) {
                    return;
                }
            } catch (GeneralSecurityException e) {
                throw new IllegalArgumentException("the certificate and the key do not belong together", e);
            }
            throw new IllegalArgumentException("the certificate and the key do not belong together");
        }
    }

    /** Hands out whichever key is the present one. */
    private static final class RenewableKeys extends X509ExtendedKeyManager {

        private volatile Present present;

        RenewableKeys(Present first) {
            this.present = first;
        }

        /** The first one's, which is the only one. */
        @Nullable
        X509Certificate certificate() {
            return present.certificate();
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return present.manager().getClientAliases(keyType, issuers);
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return present.manager().chooseClientAlias(keyType, issuers, socket);
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return present.manager().chooseClientAlias(keyType, issuers, null);
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
            return present.manager().getCertificateChain(alias);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return present.manager().getPrivateKey(alias);
        }
    }
}
