package io.controllermanager.client.internal.transport;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.Handshake;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.RequestBody;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * TLS with a client certificate and a certificate authority that may be replaced. Each is read again when a request is to be
 * sent and it is due; the certificate also when the API server answers 401, the authority also when the API server's
 * certificate is not trusted, and the request is then sent once more. If there is another by then, all connections are
 * closed: a connection keeps the certificate and the trust that it was opened with. As client-go's {@code
 * transport/cert_rotation.go} and {@code transport/ca_rotation.go}, which look every five minutes; the latter leaves
 * connections open that are in use, and after a handshake that failed waits for the five minutes to pass.
 *
 * <p>Safe for use by several threads.
 */
public final class RenewableTls implements Interceptor {

    private final @Nullable Renewable<ClientCertificate> certificate;
    private final @Nullable Renewable<CertificateAuthority> authority;
    private final List<Renewable<?>> renewables;
    private final X509TrustManager fixedTrust;
    private final TlsSockets sockets;
    private final Lock reading = new ReentrantLock();

    /** Counts renewals. */
    private final AtomicInteger generation = new AtomicInteger();

    /**
     * Begins with what has been read.
     *
     * @param certificate null if there is none
     * @param authority null if whom to trust is fixed
     * @param fixedTrust decides whom to trust where there is no authority
     * @param names what a host is called in TLS
     */
    public RenewableTls(
            @Nullable Renewable<ClientCertificate> certificate,
            @Nullable Renewable<CertificateAuthority> authority,
            X509TrustManager fixedTrust,
            UnaryOperator<String> names) {
        this.certificate = certificate;
        this.authority = authority;
        this.renewables = Stream.<Renewable<?>>concat(Stream.ofNullable(certificate), Stream.ofNullable(authority))
                .toList();
        this.fixedTrust = fixedTrust;
        this.sockets = new TlsSockets(context(), names);
    }

    /** Has a client open its connections so. */
    public void addTo(OkHttpClient.Builder client) {
        client.sslSocketFactory(sockets, trust()).interceptors().add(this);
    }

    private X509TrustManager trust() {
        return authority == null ? fixedTrust : authority.value().trust();
    }

    private SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    certificate == null
                            ? null
                            : new KeyManager[] {certificate.value().keys()},
                    new TrustManager[] {trust()},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM has no TLS", e);
        }
    }

    @Override
    public Response intercept(Chain chain) throws IOException {
        readWhatIsDue();
        int before = generation.get();
        RequestBody body = chain.request().body();
        boolean repeatable = body == null || !body.isOneShot();
        try {
            Response response = chain.proceed(chain.request());
            if (response.code() != 401
                    || !provedByCertificate(response)
                    || !isRenewed(certificate, before)
                    || !repeatable) {
                return response;
            }
            response.close();
        } catch (SSLHandshakeException e) {
            if (!isRenewed(authority, before) || !repeatable) {
                throw e;
            }
        }
        return chain.proceed(chain.request());
    }

    private static boolean provedByCertificate(Response response) {
        Handshake handshake = response.handshake();
        List<Certificate> sent = handshake == null ? List.of() : handshake.localCertificates();
        return !sent.isEmpty();
    }

    /** By one thread; the others go on with what there is. */
    private void readWhatIsDue() {
        if (renewables.stream().anyMatch(Renewable::isDue) && reading.tryLock()) {
            try {
                // All, whatever comes of the first, so that connections are closed once.
                if (renewables.stream()
                                .filter(Renewable::isDue)
                                .filter(Renewable::readAgain)
                                .count()
                        > 0) {
                    renew();
                }
            } finally {
                reading.unlock();
            }
        }
    }

    /** Whether there is something else to try than at the time of a renewal; looks for it if there is not. */
    private boolean isRenewed(@Nullable Renewable<?> failed, int before) {
        if (failed == null) {
            return false;
        }
        reading.lock();
        try {
            if (generation.get() == before && failed.readAgain()) {
                renew();
            }
            return generation.get() != before;
        } finally {
            reading.unlock();
        }
    }

    private void renew() {
        sockets.use(context());
        generation.incrementAndGet();
    }
}
