package io.controllermanager.testing.bothservers;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Runs a class once on each server; its constructor takes the {@link TestedServer}. The real server takes part where the
 * system property {@code real-api-server} is true, as in the tier {@code control-plane}; the embedded one always does.
 *
 * <p>All such classes of a test run share the two servers, which end with it. Tests keep out of each other's way by
 * working in namespaces of their own, and install a CRD before they use it, for another class may have installed another
 * version of it.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
// The servers outlive the class that is run on them first.
@ParameterizedClass(name = "{arguments}", autoCloseArguments = false)
@ArgumentsSource(SharedServers.class)
public @interface OnBothServers {

    /**
     * What else the class is run with: its constructor takes a constant of this enum as its second parameter, and the
     * class runs with each of them on each server.
     */
    Class<? extends Enum<?>> with() default Nothing.class;

    /**
     * Whether the servers have the feature gate {@code ShardedListAndWatch}. They are two others then, which the classes that
     * ask for it share.
     */
    boolean shardedListAndWatch() default false;

    /**
     * On a constant of {@link #with} that is made of what Go's modules bring: the class runs with it, on both servers, only
     * where the real one takes part, which needs Go as well.
     */
    @Documented
    @Target(ElementType.FIELD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface WhereRealServer {}

    /** Nothing else; the constructor takes the server alone. */
    enum Nothing {}
}
