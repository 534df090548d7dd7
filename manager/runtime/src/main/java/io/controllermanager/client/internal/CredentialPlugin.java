package io.controllermanager.client.internal;

import io.kubernetes.client.util.KubeConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import okio.ByteString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The plugin or provider that a kubeconfig's user names; client-java runs it. Safe for use by several threads. */
final class CredentialPlugin {

    private static final Logger log = LoggerFactory.getLogger(CredentialPlugin.class);

    private final KubeConfig config;
    private final String name;

    /** What a plugin gives: one or both. */
    record Given(@Nullable String token, @Nullable ClientCertificate certificate) {}

    /**
     * Runs nothing yet.
     *
     * @param user the kubeconfig's entry
     */
    CredentialPlugin(Map<String, Object> user) {
        // It wants lists that it may write to.
        ArrayList<Object> contexts = new ArrayList<>(List.of(Map.of("name", "it", "context", Map.of("user", "it"))));
        ArrayList<Object> users = new ArrayList<>(List.of(Map.of("name", "it", "user", new LinkedHashMap<>(user))));
        config = new KubeConfig(contexts, new ArrayList<>(), users);
        config.setContext("it");
        name = user.get("exec") instanceof Map<?, ?> exec && exec.get("command") instanceof String command
                ? command
                : "of the kubeconfig";
    }

    /**
     * Runs it; null if what it says is of no use. What client-java throws then quotes the answer, and that may well be a
     * bare token.
     */
    @Nullable
    Given ask() {
        Map<String, String> given;
        try {
            given = config.getCredentials();
        } catch (RuntimeException e) {
            log.atWarn()
                    .addKeyValue("cause", e.getClass().getSimpleName())
                    .log(
                            "What the credential plugin {} printed is no ExecCredential: {}",
                            name,
                            e.getClass().getSimpleName());
            return null;
        }
        return given == null ? null : new Given(given.get(KubeConfig.CRED_TOKEN_KEY), certificate(given));
    }

    private static @Nullable ClientCertificate certificate(Map<String, String> given) {
        String certificate = given.get(KubeConfig.CRED_CLIENT_CERTIFICATE_DATA_KEY);
        String key = given.get(KubeConfig.CRED_CLIENT_KEY_DATA_KEY);
        return certificate == null || key == null
                ? null
                : new ClientCertificate(ByteString.encodeUtf8(certificate), ByteString.encodeUtf8(key));
    }

    /** The certificate that it gives at this moment. */
    @Nullable
    ClientCertificate certificate() {
        Given given = ask();
        return given == null ? null : given.certificate();
    }

    /** Gives the token that has been fetched already the first time, and runs the plugin from then on. */
    Supplier<@Nullable String> tokens(@Nullable String fetched) {
        AtomicReference<@Nullable String> first = new AtomicReference<>(fetched);
        return () -> {
            String token = first.getAndSet(null);
            if (token != null) {
                return token;
            }
            Given given = ask();
            return given == null ? null : given.token();
        };
    }
}
