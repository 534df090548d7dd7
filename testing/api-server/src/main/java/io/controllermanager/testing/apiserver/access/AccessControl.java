package io.controllermanager.testing.apiserver.access;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.faults.RequestTarget;
import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.rest.Authorizer;
import io.controllermanager.testing.apiserver.rest.ResourceRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request pass whose user has the right to it. A user is known by a token, or as whom someone impersonates who may;
 * whoever shows nothing is {@code system:anonymous}.
 */
public final class AccessControl implements Authorizer {

    private static final Pattern CREDENTIALS = Pattern.compile("(?i)(bearer|basic) +(\\S+)");

    private final Rbac rbac;

    public AccessControl(Rbac rbac) {
        this.rbac = rbac;
    }

    @Override
    public void check(Request request, RequestTarget target) {
        rbac.require(Attributes.of(user(request, target), request, target));
    }

    @Override
    public void checkGrant(ResourceRequest request, @Nullable ObjectNode before, ObjectNode after) {
        if (request.type().group().equals(Rbac.GROUP)) {
            User user = user(request.http(), RequestTarget.of(request.http()));
            if (!user.groups().contains(User.MASTERS)) {
                new Grant(rbac, user, request).check(before, after);
            }
        }
    }

    private User user(Request request, RequestTarget target) {
        return Impersonation.user(request, Attributes.of(caller(request), request, target), rbac);
    }

    /** Who shows these credentials. */
    private static User caller(Request request) {
        Matcher credentials = CREDENTIALS.matcher(request.header("Authorization"));
        if (!credentials.matches()) {
            return User.ANONYMOUS;
        }
        if (credentials.group(1).equalsIgnoreCase("bearer")) {
            return User.ofToken(credentials.group(2));
        }
        // Go's clients send no token without TLS, but what stands before the @ of the server's URL.
        try {
            byte[] pair = Base64.getDecoder().decode(credentials.group(2));
            return User.ofToken(new String(pair, StandardCharsets.UTF_8).split(":", 2)[0]);
        } catch (IllegalArgumentException e) {
            throw StatusException.unauthorized();
        }
    }
}
