package io.controllermanager.webhook.internal.serving;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.transport.CertificateAuthority;
import io.controllermanager.client.internal.transport.Renewable;
import io.controllermanager.time.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.net.ssl.X509TrustManager;
import okio.ByteString;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides by its certificate who may ask. The file of authorities is read again when somebody connects, every five seconds at most;
 * one that is of no use leaves the former in place. Safe for use by several threads.
 */
final class ClientTrust implements X509TrustManager {

    private static final Logger log = LoggerFactory.getLogger(ClientTrust.class);

    private final Path file;
    private final Set<String> names;
    private final Clock clock;

    @GuardedBy("this")
    private CertificateAuthority authority;

    @GuardedBy("this")
    private X509TrustManager trust;

    @GuardedBy("this")
    private long readNanos;

    /**
     * Reads the file.
     *
     * @param names the common names that are let in; empty for all
     * @throws IllegalArgumentException if it is of no use
     */
    ClientTrust(Path file, Set<String> names, Clock clock) {
        this.file = file;
        this.names = names;
        this.clock = clock;
        try {
            this.authority = read();
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "the authorities of clients cannot be read: " + FailureMessage.words(e), e);
        }
        this.trust = authority.trust();
        this.readNanos = clock.nanoTime();
    }

    private CertificateAuthority read() throws IOException {
        return new CertificateAuthority(ByteString.of(Files.readAllBytes(file)));
    }

    private synchronized X509TrustManager present() {
        if (clock.nanoTime() - readNanos >= Renewable.FILE_LIFETIME.toNanos()) {
            readNanos = clock.nanoTime();
            try {
                CertificateAuthority read = read();
                if (!read.equals(authority)) {
                    trust = read.trust();
                    authority = read;
                }
            } catch (IOException | IllegalArgumentException e) {
                log.warn("The authorities of the webhooks' clients cannot be read again: {}", FailureMessage.words(e));
            }
        }
        return trust;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        present().checkClientTrusted(chain, authType);
        if (!names.isEmpty() && !names.contains(commonName(chain[0]))) {
            throw new CertificateException(
                    "the common name \"" + commonName(chain[0]) + "\" is none of those that may ask");
        }
    }

    private static String commonName(X509Certificate certificate) throws CertificateException {
        try {
            return new LdapName(certificate.getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(rdn -> rdn.getType().equalsIgnoreCase("CN"))
                            .map(rdn -> String.valueOf(rdn.getValue()))
                            .findFirst()
                            .orElse("");
        } catch (InvalidNameException e) {
            throw new CertificateException("the subject cannot be read", e);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw new CertificateException("this is a server");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return present().getAcceptedIssuers();
    }
}
