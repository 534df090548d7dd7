package io.controllermanager.client.internal.access;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.kubernetes.client.util.KubeConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The {@code auth-provider} called {@code oidc}, the only one that client-go has left: client-java gives the token that the
 * kubeconfig has, and has it renewed.
 */
record OidcProvider(String name, KubeConfig config) implements PluginCredentials.Source {

    /**
     * Asks nobody yet.
     *
     * @throws ApiAccessException if the user's provider is another
     */
    static OidcProvider of(KubeconfigEntry user) {
        String provider = ExecPlugin.fields(
                        user.name() + ": auth-provider", user.values().get("auth-provider"))
                .string("name");
        user.refuse(
                !"oidc".equals(provider),
                "auth-provider " + (provider == null ? "without a name" : '"' + provider + '"')
                        + " is not supported; exec with a credential plugin, such as"
                        + " gke-gcloud-auth-plugin or kubelogin, has taken its place");
        // It wants lists and maps that it may write to.
        List<Object> users = List.of(Map.of("name", "it", "user", new LinkedHashMap<>(user.values())));
        List<Object> contexts = List.of(Map.of("name", "it", "context", Map.of("user", "it")));
        KubeConfig config = new KubeConfig(new ArrayList<>(contexts), new ArrayList<>(), new ArrayList<>(users));
        config.setContext("it");
        return new OidcProvider(user.name() + ": auth-provider oidc", config);
    }

    @Override
    public ExecCredential ask() throws CredentialException {
        String token;
        try {
            token = config.getCredentials().get(KubeConfig.CRED_TOKEN_KEY);
        } catch (RuntimeException e) {
            // Whose message may quote a token.
            throw new CredentialException(
                    name + " gives no token: " + e.getClass().getSimpleName());
        }
        if (token == null || token.isEmpty()) {
            throw new CredentialException(name + " gives no token");
        }
        return new ExecCredential(token, null, null);
    }
}
