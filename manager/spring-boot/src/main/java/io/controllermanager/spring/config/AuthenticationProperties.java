package io.controllermanager.spring.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Who may use the actuator's endpoints. */
public class AuthenticationProperties {

    /** Whether the actuator's endpoints ask for a bearer token. The two probes do not. The API server checks the token by TokenReview, and whether its owner may use the verb on the path by SubjectAccessReview. This process needs the ClusterRole system:auth-delegator for that. */
    private boolean enabled;

    /** Audiences of which a token must have at least one. Unless set, the audience of the API server. */
    private List<String> audiences = new ArrayList<>();

    /** How long to remember the API server's answer about a token. If 0, it is asked each time. */
    private Duration cacheTtl = Duration.ofMinutes(1);

    /** How long to remember that the API server allowed a request. If 0, it is asked each time. */
    private Duration allowedCacheTtl = Duration.ofMinutes(5);

    /** How long to remember that the API server denied a request. If 0, it is asked each time. */
    private Duration deniedCacheTtl = Duration.ofSeconds(30);

    /** How long the API server may take to answer. After that the request gets status 503. */
    private Duration timeout = Duration.ofSeconds(3);

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public List<String> getAudiences() {
        return audiences;
    }

    public void setAudiences(List<String> audiences) {
        this.audiences = audiences;
    }

    public Duration getCacheTtl() {
        return cacheTtl;
    }

    public void setCacheTtl(Duration cacheTtl) {
        this.cacheTtl = cacheTtl;
    }

    public Duration getAllowedCacheTtl() {
        return allowedCacheTtl;
    }

    public void setAllowedCacheTtl(Duration allowedCacheTtl) {
        this.allowedCacheTtl = allowedCacheTtl;
    }

    public Duration getDeniedCacheTtl() {
        return deniedCacheTtl;
    }

    public void setDeniedCacheTtl(Duration deniedCacheTtl) {
        this.deniedCacheTtl = deniedCacheTtl;
    }

    public Duration getTimeout() {
        return timeout;
    }

    public void setTimeout(Duration timeout) {
        this.timeout = timeout;
    }
}
