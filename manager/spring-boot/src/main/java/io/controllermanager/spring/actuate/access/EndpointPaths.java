package io.controllermanager.spring.actuate.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.MappingMatch;
import java.util.Objects;
import java.util.Set;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Tells what a request is for. It is read as the servlet container reads it and as Spring MVC does, which take the
 * encoded, the doubled and what follows a semicolon differently: what one of them takes for an endpoint is one. So is all
 * that another servlet has below the endpoints' path.
 *
 * @param basePath what the endpoints' paths begin with, such as {@code /actuator}; empty if they are all there is
 * @param others paths that are endpoints too
 * @param open paths that everybody may use
 */
record EndpointPaths(String basePath, Set<String> others, Set<String> open) {

    /** What a request is for. */
    sealed interface Target {

        /** Something that nobody guards here. */
        record Open() implements Target {}

        /**
         * An endpoint.
         *
         * @param path the URL's path, decoded
         */
        record Guarded(String path) implements Target {}

        /** A path that can be read in two ways, or has control characters, which no honest client sends. */
        record Ambiguous() implements Target {}
    }

    Target target(HttpServletRequest request) {
        String servlet = request.getServletPath();
        String rest = Objects.requireNonNullElse(request.getPathInfo(), "");
        // Of a servlet that has only a part of the paths, endpoints are below that part.
        boolean part = request.getHttpServletMapping().getMappingMatch() == MappingMatch.PATH;
        String container = part ? rest : servlet + rest;
        String mvc = decoded(ServletRequestPathUtils.parseAndCache(request));
        ServletRequestPathUtils.clearParsedRequestPath(request);
        if (!isEndpoint(container) && !isEndpoint(mvc) && !isEndpoint(servlet + rest)) {
            return new Target.Open();
        }
        // Whose line ends would be line ends in the log.
        boolean controls = container.chars().anyMatch(Character::isISOControl);
        if (controls || !container.equals(mvc)) {
            return new Target.Ambiguous();
        }
        if (open.contains(container)) {
            return new Target.Open();
        }
        return new Target.Guarded(request.getServletContext().getContextPath() + servlet + rest);
    }

    private boolean isEndpoint(String path) {
        return path.equals(basePath) || path.startsWith(basePath + "/") || basePath.isEmpty() || others.contains(path);
    }

    private static String decoded(RequestPath path) {
        StringBuilder text = new StringBuilder();
        for (PathContainer.Element element : path.pathWithinApplication().elements()) {
            text.append(
                    element instanceof PathContainer.PathSegment segment ? segment.valueToMatch() : element.value());
        }
        return text.toString();
    }
}
