package io.controllermanager.spring.config;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may use the actuator's endpoints.
 *
 * @param enabled Whether the actuator's endpoints ask for a bearer token. The two probes do not. The API server checks the
 *     token by TokenReview, and whether its owner may use the verb on the path by SubjectAccessReview. This process needs the
 *     ClusterRole system:auth-delegator for that.
 * @param audiences Audiences of which a token must have at least one. Unless set, the audience of the API server.
 * @param cacheTtl How long to remember the API server's answer about a token. If 0, it is asked each time.
 * @param allowedCacheTtl How long to remember that the API server allowed a request. If 0, it is asked each time.
 * @param deniedCacheTtl How long to remember that the API server denied a request. If 0, it is asked each time.
 * @param timeout How long the API server may take to answer. After that the request gets status 503.
 */
public record AuthenticationProperties(
        boolean enabled,
        @DefaultValue List<String> audiences,
        @DefaultValue("1m") Duration cacheTtl,
        @DefaultValue("5m") Duration allowedCacheTtl,
        @DefaultValue("30s") Duration deniedCacheTtl,
        @DefaultValue("3s") Duration timeout) {}
