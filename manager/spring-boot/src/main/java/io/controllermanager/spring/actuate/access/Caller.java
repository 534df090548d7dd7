package io.controllermanager.spring.actuate.access;

import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whose token it is, as the API server says.
 *
 * @param name the user's name
 * @param uid what tells two users of one name apart, null if the API server does not say
 * @param groups the user's groups
 * @param extra what else the API server knows of the user
 */
public record Caller(String name, @Nullable String uid, List<String> groups, Map<String, List<String>> extra)
        implements Principal {

    @Override
    public String getName() {
        return name;
    }
}
