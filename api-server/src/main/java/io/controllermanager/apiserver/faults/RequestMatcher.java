package io.controllermanager.apiserver.faults;

import static com.google.common.base.Preconditions.checkArgument;

import java.util.List;
import java.util.function.Predicate;

/**
 * Picks requests. It starts from all or from one verb and is narrowed step by step:
 * {@code RequestMatcher.watch("foos").namespace("default")}.
 */
public final class RequestMatcher {

    private static final List<String> VERBS =
            List.of("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection");

    private final Predicate<RequestTarget> predicate;

    private RequestMatcher(Predicate<RequestTarget> predicate) {
        this.predicate = predicate;
    }

    /** Every request, discovery included. */
    public static RequestMatcher any() {
        return new RequestMatcher(target -> true);
    }

    /**
     * Requests of one verb.
     *
     * @param verb get, list, watch, create, update, patch, delete or deletecollection
     */
    public static RequestMatcher verb(String verb) {
        checkArgument(VERBS.contains(verb), "verb is one of %s, but is '%s'", VERBS, verb);
        return any().where(target -> target.verb().equals(verb));
    }

    /** Lists of a resource, named in the plural. */
    public static RequestMatcher list(String resource) {
        return verb("list").resource(resource);
    }

    /** Watches of a resource, named in the plural. */
    public static RequestMatcher watch(String resource) {
        return verb("watch").resource(resource);
    }

    /** All that creates, changes or deletes. */
    public static RequestMatcher writes() {
        return any().where(RequestTarget::isWrite);
    }

    /**
     * Requests for one resource.
     *
     * @param plural such as {@code deployments}
     */
    public RequestMatcher resource(String plural) {
        return where(target -> target.resource().equals(plural));
    }

    public RequestMatcher group(String group) {
        return where(target -> target.group().equals(group));
    }

    public RequestMatcher namespace(String namespace) {
        return where(target -> target.namespace().equals(namespace));
    }

    public RequestMatcher name(String name) {
        return where(target -> target.name().equals(name));
    }

    /**
     * Requests for one subresource.
     *
     * @param subresource such as {@code status}; empty for the object itself
     */
    public RequestMatcher subresource(String subresource) {
        return where(target -> target.subresource().equals(subresource));
    }

    /** Requests of a program, by the beginning of its {@code User-Agent}. */
    public RequestMatcher userAgent(String prefix) {
        return where(target -> target.userAgent().startsWith(prefix));
    }

    /** Whatever else is to hold. */
    public RequestMatcher where(Predicate<RequestTarget> further) {
        return new RequestMatcher(predicate.and(further));
    }

    boolean matches(RequestTarget target) {
        return predicate.test(target);
    }
}
