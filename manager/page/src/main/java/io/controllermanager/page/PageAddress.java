package io.controllermanager.page;

import org.jspecify.annotations.Nullable;

/**
 * Where the actuator's endpoints are, for the page.
 *
 * @param url what precedes an endpoint's name, relative to the page, so that it is right below any context path
 * @param basePath the path that theirs begin with, below the application's own
 * @param port the port that they have to themselves, -1 if they are switched off; null where it is the page's
 */
record PageAddress(String url, String basePath, @Nullable Integer port) {

    /**
     * Finds it.
     *
     * @param page the page's path: {@code /}, or one that begins with a slash and ends without
     */
    static PageAddress of(String page, String basePath, @Nullable Integer port) {
        long depth = page.equals("/") ? 0 : page.chars().filter(c -> c == '/').count();
        String below = basePath.replaceFirst("^/", "");
        return new PageAddress("../".repeat((int) depth) + (below.isEmpty() ? "" : below + "/"), basePath, port);
    }
}
