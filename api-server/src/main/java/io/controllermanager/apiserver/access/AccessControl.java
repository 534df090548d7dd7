package io.controllermanager.apiserver.access;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.rest.ResourceRequest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets a request pass whose user has the right to it. A user is known by a token, or as whom someone impersonates who may;
 * whoever shows nothing is {@code system:anonymous}. For use by any thread.
 *
 * @param rbac null where everyone may do everything, whatever credentials he shows
 */
public record AccessControl(@Nullable Rbac rbac, Tokens tokens) {

    private static final Pattern CREDENTIALS = Pattern.compile("(?i)(bearer|basic) +(\\S+)");

    /**
     * Refuses what the request's user has no right to.
     *
     * @param target what the request does
     * @throws StatusException 403; 401 if its credentials are no good
     */
    public void check(Request request, RequestTarget target) {
        if (rbac != null) {
            rbac.require(Attributes.of(user(request, target), request, target));
        }
    }

    /** Who sends a request, as {@code UserInfo} has it. */
    public ObjectNode sender(Request request) {
        return user(request).info();
    }

    /**
     * Refuses a role or a binding that would give rights that the request's user does not have himself. What is written
     * otherwise is none of these, and passes.
     *
     * @param before null for a creation
     * @throws StatusException 403
     */
    public void checkGrant(ResourceRequest request, @Nullable ObjectNode before, ObjectNode after) {
        if (rbac != null && request.type().group().equals(Rbac.GROUP)) {
            User user = user(request.http());
            if (!user.groups().contains(User.MASTERS)) {
                new Grant(rbac, user, request).check(before, after);
            }
        }
    }

    Rbac.Decision decide(Attributes wanted) {
        return rbac == null ? new Rbac.Decision(true, "") : rbac.decide(wanted);
    }

    /** All that a user may do in a namespace. */
    List<PolicyRule> rules(User user, String namespace) {
        return rbac == null ? Escalation.EVERYTHING : rbac.rulesOf(user, namespace);
    }

    User user(Request request) {
        return user(request, RequestTarget.of(request));
    }

    private User user(Request request, RequestTarget target) {
        User caller = caller(request);
        return rbac == null ? caller : Impersonation.user(request, Attributes.of(caller, request, target), rbac);
    }

    /** Who shows these credentials. */
    private User caller(Request request) {
        Matcher credentials = CREDENTIALS.matcher(request.header("Authorization"));
        if (!credentials.matches()) {
            return User.ANONYMOUS;
        }
        try {
            String token = credentials.group(2);
            if (credentials.group(1).equalsIgnoreCase("basic")) {
                // Go's clients send no token without TLS, but what stands before the @ of the server's URL.
                token = new String(Base64.getDecoder().decode(token), StandardCharsets.UTF_8).split(":", 2)[0];
            }
            return tokens.user(token, List.of(Tokens.AUDIENCE));
        } catch (IllegalArgumentException e) {
            throw StatusException.unauthorized();
        }
    }
}
