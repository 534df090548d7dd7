package io.controllermanager.apiserver.access;

import com.google.common.collect.Iterables;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;

/**
 * A request in another's name (apiserver, pkg/endpoints/filters/impersonation). Of the rights to it there is the verb {@code
 * impersonate} alone. Those for single verbs, which Kubernetes 1.36 looks for first, are not there; a refusal names them,
 * as the real one's does.
 */
final class Impersonation {

    private static final String EXTRA = "impersonate-extra-";
    private static final String AUTHENTICATION = "authentication.k8s.io";

    private Impersonation() {}

    /**
     * In whose name the request is made.
     *
     * @param asked what the caller himself asks for
     * @return the caller, if he wants to be nobody else
     */
    static User user(Request request, Attributes asked, Rbac rbac) {
        String name = request.header("Impersonate-User");
        List<String> groups = request.headers().getOrDefault("Impersonate-Group", List.of());
        List<Attributes> beyondTheName = rightsBeyondTheName(request, asked.user(), groups);
        if (name.isEmpty()) {
            if (!beyondTheName.isEmpty()) {
                throw StatusException.badRequest("impersonation without the name of a user was requested");
            }
            return asked.user();
        }
        Matcher account = User.serviceAccount(name);
        boolean isServiceAccount = account.matches();
        Attributes toTheName = isServiceAccount
                ? right(asked.user(), "", "serviceaccounts", account.group(1), account.group(2))
                : right(asked.user(), "", "users", "", name);
        for (Attributes right : Iterables.concat(List.of(toTheName), beyondTheName)) {
            if (!rbac.decide(right).allowed()) {
                if (!isServiceAccount || beyondTheName.isEmpty()) {
                    String mode = isServiceAccount ? "serviceaccount" : "user-info";
                    rbac.require(asked.withVerb("impersonate-on:" + mode + ":" + asked.verb()));
                }
                rbac.require(right);
            }
        }
        return User.of(name, groups.toArray(String[]::new));
    }

    private static List<Attributes> rightsBeyondTheName(Request request, User caller, List<String> groups) {
        List<Attributes> rights = new ArrayList<>();
        String uid = request.header("Impersonate-Uid");
        if (!uid.isEmpty()) {
            rights.add(right(caller, AUTHENTICATION, "uids", "", uid));
        }
        groups.forEach(group -> rights.add(right(caller, "", "groups", "", group)));
        request.headers().forEach((header, values) -> {
            if (header.regionMatches(true, 0, EXTRA, 0, EXTRA.length())) {
                String key = header.substring(EXTRA.length()).toLowerCase(Locale.ROOT);
                values.forEach(value -> rights.add(right(caller, AUTHENTICATION, "userextras/" + key, "", value)));
            }
        });
        return rights;
    }

    private static Attributes right(User caller, String group, String resource, String namespace, String name) {
        return new Attributes(caller, "impersonate", group, resource, "", namespace, name, "");
    }
}
