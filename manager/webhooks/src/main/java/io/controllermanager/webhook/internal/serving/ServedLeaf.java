package io.controllermanager.webhook.internal.serving;

import io.controllermanager.time.Clock;
import io.controllermanager.webhook.internal.certificate.KeyedCertificate;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that new connections are shown, which may change at any time. A connection that is open keeps the one that it
 * began with. Safe for use by several threads.
 */
public final class ServedLeaf extends X509ExtendedKeyManager {

    /** So that the chain and the key of one handshake belong together, each leaf has an alias of its own. */
    private record Named(String alias, KeyedCertificate leaf) {}

    private final Clock clock;
    private volatile @Nullable Named present;
    private volatile @Nullable Named before;

    /** None at first: a handshake fails then. */
    public ServedLeaf(Clock clock) {
        this.clock = clock;
    }

    /** Shows this to whoever connects from now on. */
    public synchronized void use(KeyedCertificate leaf) {
        Named old = present;
        if (old == null || !old.leaf.equals(leaf)) {
            before = old;
            present = new Named("leaf-" + leaf.certificate().getSerialNumber(), leaf);
        }
    }

    /** What is not right about it; null if nothing. */
    @Nullable
    String fault() {
        Named named = present;
        if (named == null) {
            return "the webhooks' server has no certificate yet";
        }
        return clock.now().isBefore(named.leaf.end())
                ? null
                : "the certificate of the webhooks' server has run out at " + named.leaf.end();
    }

    private @Nullable KeyedCertificate find(String alias) {
        Named named = present;
        if (named != null && named.alias.equals(alias)) {
            return named.leaf;
        }
        Named old = before;
        return old != null && old.alias.equals(alias) ? old.leaf : null;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        return chooseServerAlias(keyType, issuers, null);
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        Named named = present;
        return named != null && named.leaf.key().getAlgorithm().equals(keyType) ? named.alias : null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        KeyedCertificate found = find(alias);
        return found == null ? null : found.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        KeyedCertificate found = find(alias);
        return found == null ? null : found.key();
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal[] issuers) {
        String alias = chooseServerAlias(keyType, issuers, null);
        return alias == null ? null : new String[] {alias};
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal[] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
        return null;
    }
}
