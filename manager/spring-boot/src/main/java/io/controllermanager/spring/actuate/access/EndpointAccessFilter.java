package io.controllermanager.spring.actuate.access;

import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.OncePerInterval;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.json.JsonWriter;

/**
 * Lets requests to the actuator's endpoints through if their token is somebody's who may. Otherwise 401 (no token, or
 * nobody's), 403 (the owner may not; the body has the rule that is missing) or 503 (this cannot be found out now), each
 * with a body {@code {"error": "..."}}. Other paths are none of its business.
 *
 * <p>There is no session and no cookie, hence nothing that a page of another site could borrow.
 */
public final class EndpointAccessFilter implements Filter {

    private static final Logger log = LoggerFactory.getLogger(EndpointAccessFilter.class);

    /** Whoever reaches the port could fill the log. */
    static final Duration WARNING_INTERVAL = Duration.ofMinutes(1);

    private static final JsonWriter<Map<String, String>> JSON = JsonWriter.standard();

    private final AccessReviews reviews;
    private final EndpointPaths paths;
    private final OncePerInterval warnings;

    /**
     * Guards endpoints.
     *
     * @param basePath what their paths begin with, such as {@code /actuator}
     * @param others other paths that are guarded as they are
     * @param open their paths that need no token
     */
    public EndpointAccessFilter(
            AccessReviews reviews, Clock clock, String basePath, Set<String> others, Set<String> open) {
        this.reviews = reviews;
        this.warnings = new OncePerInterval(clock, WARNING_INTERVAL);
        this.paths = new EndpointPaths(basePath.equals("/") ? "" : basePath, Set.copyOf(others), Set.copyOf(open));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse answer)) {
            throw new ServletException("not HTTP");
        }
        EndpointPaths.Target target = paths.target(http);
        if (target instanceof EndpointPaths.Target.Guarded guarded) {
            guard(http, answer, guarded.path(), chain);
        } else if (target instanceof EndpointPaths.Target.Open) {
            chain.doFilter(request, response);
        } else {
            refuse(
                    answer,
                    HttpServletResponse.SC_BAD_REQUEST,
                    "the path can be read in two ways, or has control characters");
        }
    }

    private void guard(HttpServletRequest request, HttpServletResponse response, String path, FilterChain chain)
            throws IOException, ServletException {
        Caller caller;
        try {
            caller = admit(request, response, path);
        } catch (ReviewFailedException e) {
            if (warnings.isDue()) {
                log.atWarn()
                        .addKeyValue("reason", e.detail())
                        .log("A request to {} was not answered, since {}", path, e.getMessage());
            }
            refuse(response, HttpServletResponse.SC_SERVICE_UNAVAILABLE, String.valueOf(e.getMessage()));
            return;
        }
        if (caller != null) {
            chain.doFilter(new RequestOf(request, caller), response);
        }
    }

    /** Whose request it is; null if it has been answered. */
    private @Nullable Caller admit(HttpServletRequest request, HttpServletResponse response, String path)
            throws IOException, ReviewFailedException {
        String token = token(request.getHeader("Authorization"));
        if (token == null) {
            challenge(response, "Bearer realm=\"controller-manager\"");
            refuse(response, HttpServletResponse.SC_UNAUTHORIZED, "a bearer token is needed");
            return null;
        }
        Caller caller = reviews.authenticate(token);
        if (caller == null) {
            challenge(response, "Bearer realm=\"controller-manager\", error=\"invalid_token\"");
            refuse(response, HttpServletResponse.SC_UNAUTHORIZED, "the token is not valid");
            return null;
        }
        String verb = request.getMethod().toLowerCase(Locale.ROOT);
        if (!reviews.isAllowed(caller, verb, path)) {
            log.atDebug()
                    .addKeyValue("user", caller.name())
                    .addKeyValue("verb", verb)
                    .addKeyValue("path", path)
                    .log("A request was refused");
            refuse(
                    response,
                    HttpServletResponse.SC_FORBIDDEN,
                    "user \"%s\" may not %s %s: a ClusterRole with nonResourceURLs [\"%s\"] and verbs [\"%s\"] would allow it"
                            .formatted(caller.name(), verb, path, path, verb));
            return null;
        }
        return caller;
    }

    /** What follows {@code Bearer}, in the ways that Kubernetes' own {@code bearertoken} takes; null if there is none. */
    private static @Nullable String token(@Nullable String header) {
        if (header == null) {
            return null;
        }
        String[] parts = header.strip().split(" ", 3);
        if (parts.length < 2 || !parts[0].equalsIgnoreCase("Bearer") || parts[1].isEmpty()) {
            return null;
        }
        return parts[1];
    }

    private static void challenge(HttpServletResponse response, String challenge) {
        response.setHeader("WWW-Authenticate", challenge);
    }

    private static void refuse(HttpServletResponse response, int status, String reason) throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.setCharacterEncoding(StandardCharsets.UTF_8.name());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.getWriter().write(JSON.writeToString(Map.of("error", reason)));
    }

    /** A request, and who sent it: for health details that are shown to those who are known only. */
    private static final class RequestOf extends HttpServletRequestWrapper {

        private final Caller caller;

        RequestOf(HttpServletRequest request, Caller caller) {
            super(request);
            this.caller = caller;
        }

        @Override
        public Principal getUserPrincipal() {
            return caller;
        }

        @Override
        public String getRemoteUser() {
            return caller.name();
        }

        @Override
        public String getAuthType() {
            return "Bearer";
        }
    }
}
