package io.controllermanager.apiserver.access;

import static com.google.common.base.Preconditions.checkArgument;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who asks.
 *
 * @param uid empty where it is not known
 * @param groups those that everyone is in included
 */
public record User(String name, String uid, List<String> groups) {

    /** Whoever is in it may do everything. */
    static final String MASTERS = "system:masters";

    private static final Pattern SERVICE_ACCOUNT = Pattern.compile("system:serviceaccount:([^:]+):([^:]+)");

    private static final String AUTHENTICATED = "system:authenticated";
    private static final String UNAUTHENTICATED = "system:unauthenticated";

    static final User ANONYMOUS = new User("system:anonymous", "", List.of(UNAUTHENTICATED));

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
        checkArgument(!name.isEmpty(), "A user has a name, but it is ''");
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
        return new User(name, "", List.copyOf(all));
    }

    /** The name of a service account's user. */
    static String ofServiceAccount(String namespace, String name) {
        return "system:serviceaccount:" + namespace + ":" + name;
    }

    /** Matches the name of a service account's user, whose namespace and name are its groups. */
    static Matcher serviceAccount(String name) {
        return SERVICE_ACCOUNT.matcher(name);
    }

    /** As {@code UserInfo} has it. */
    ObjectNode info() {
        ObjectNode info = Json.object().put("username", name);
        Json.setText(info, "uid", uid);
        groups.forEach(info.putArray("groups")::add);
        return info;
    }

    /** What proves to an embedded server who asks. */
    public String token() {
        ObjectNode claims = Json.object().put("sub", name);
        groups.forEach(claims.putArray("groups")::add);
        return Tokens.of(claims);
    }
}
