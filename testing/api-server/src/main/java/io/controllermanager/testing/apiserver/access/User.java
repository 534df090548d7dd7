package io.controllermanager.testing.apiserver.access;

import io.controllermanager.testing.apiserver.http.StatusException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who asks.
 *
 * @param groups those that everyone is in included
 */
public record User(String name, List<String> groups) {

    /** Whoever is in it may do everything. */
    static final String MASTERS = "system:masters";

    private static final Pattern SERVICE_ACCOUNT = Pattern.compile("system:serviceaccount:([^:]+):([^:]+)");

    private static final String AUTHENTICATED = "system:authenticated";
    private static final String UNAUTHENTICATED = "system:unauthenticated";

    static final User ANONYMOUS = new User("system:anonymous", List.of(UNAUTHENTICATED));

    /** Named as kubeadm's first. */
    public static final User ADMINISTRATOR = of("kubernetes-admin", MASTERS);

    /**
     * A user as impersonation makes one.
     *
     * @param name {@code system:serviceaccount:NAMESPACE:NAME} for a service account's
     * @param groups without any, a service account is in those of service accounts; {@code system:authenticated} need not
     *     be said
     */
    public static User of(String name, String... groups) {
        List<String> all = new ArrayList<>(List.of(groups));
        Matcher serviceAccount = serviceAccount(name);
        if (all.isEmpty() && serviceAccount.matches()) {
            all.add("system:serviceaccounts");
            all.add("system:serviceaccounts:" + serviceAccount.group(1));
        }
        String everyone = name.equals(ANONYMOUS.name) ? UNAUTHENTICATED : AUTHENTICATED;
        if (!all.contains(UNAUTHENTICATED) && !all.contains(everyone)) {
            all.add(everyone);
        }
        return new User(name, List.copyOf(all));
    }

    /** Matches the name of a service account's user, whose namespace and name are its groups. */
    static Matcher serviceAccount(String name) {
        return SERVICE_ACCOUNT.matcher(name);
    }

    /** What proves to an embedded server who asks. It is not secret: whoever reads this can make one. */
    public String token() {
        String text = name + "\n" + String.join("\n", groups);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads a token.
     *
     * @throws StatusException 401 for what is none
     */
    static User ofToken(String token) {
        String[] lines;
        try {
            lines = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8).split("\n", -1);
        } catch (IllegalArgumentException e) {
            throw StatusException.unauthorized();
        }
        if (lines.length < 2) {
            throw StatusException.unauthorized();
        }
        return new User(lines[0], List.of(lines).subList(1, lines.length));
    }
}
