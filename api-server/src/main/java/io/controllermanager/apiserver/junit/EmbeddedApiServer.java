package io.controllermanager.apiserver.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Lets the methods and the constructor of a test class take these parameters:
 *
 * <ul>
 *   <li>{@link io.controllermanager.apiserver.ApiServer}, started when first asked for. By default each test has
 *       one for itself, for it takes milliseconds.
 *   <li>{@link io.kubernetes.client.openapi.ApiClient}, a client of that server.
 * </ul>
 *
 * <p>On a test class of Spring's, such as one with {@code @SpringBootTest}, the server is a bean of the application
 * context: it starts before the application connects, the starter connects the application to it, and it ends with the
 * context. All tests of that context share it, and so do other classes that are configured alike, since Spring keeps
 * contexts for them; tests keep out of each other's way by namespaces of their own.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(EmbeddedApiServerExtension.class)
public @interface EmbeddedApiServer {

    /** Decides uids, generated names and the chances of faults. */
    long seed() default 0;

    /** Whether workloads become what they would on a cluster: see {@link io.controllermanager.apiserver.ApiServer#world}. */
    boolean world() default false;

    /** How often watches get bookmarks, in milliseconds. */
    long bookmarkIntervalMillis() default 10_000;

    /** What is there from the start, such as CRDs: see {@link io.controllermanager.apiserver.ApiServer#apply}. */
    String[] manifests() default {};

    /**
     * Whether RBAC's rules decide who may do what: see {@link
     * io.controllermanager.apiserver.ApiServerBuilder#authorization}.
     */
    boolean authorization() default false;

    /**
     * As whom the application connects that the test runs, such as {@code system:serviceaccount:default:website}; an
     * administrator if empty. Needs {@link #authorization}. The test's own client may do everything in any case.
     */
    String user() default "";

    /**
     * The controllers whose {@link io.controllermanager.apiserver.rights.DeclaredRights declared rights} the {@link
     * #user} has, from before the application starts; they have to be on the class path.
     */
    String[] rights() default {};

    /** Whether the tests of the class share one server, which a constructor's and {@code @BeforeAll}'s parameters need. */
    boolean shared() default false;
}
