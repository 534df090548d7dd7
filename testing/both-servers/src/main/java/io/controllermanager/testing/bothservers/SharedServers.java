package io.controllermanager.testing.bothservers;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.testing.bothservers.OnBothServers.WhereRealServer;
import io.controllermanager.testing.controlplane.ControlPlane;
import io.controllermanager.testing.controlplane.junit.SharedControlPlane;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * What stands behind {@link OnBothServers}. The store closes the servers, for they are {@link AutoCloseable}. The real one is
 * used where JUnit's configuration, which includes system properties, says so.
 */
final class SharedServers implements ArgumentsProvider {

    /** Set by the Maven profile {@code control-plane}. */
    private static final String REAL = "real-api-server";

    private static final Namespace NAMESPACE = Namespace.create(SharedServers.class);

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        OnBothServers wanted = AnnotationSupport.findAnnotation(context.getTestClass(), OnBothServers.class)
                .orElseThrow();
        Class<? extends Enum<?>> with = wanted.with();
        boolean real = context.getConfigurationParameter(REAL, Boolean::valueOf).orElse(false);
        List<Object> leftOut =
                real ? List.of() : AnnotationSupport.findAnnotatedFieldValues(with, WhereRealServer.class);
        return servers(context, real, wanted.shardedListAndWatch())
                .flatMap(server -> with == OnBothServers.Nothing.class
                        ? Stream.of(Arguments.of(server))
                        : Stream.of(with.getEnumConstants())
                                .filter(constant -> !leftOut.contains(constant))
                                .map(constant -> Arguments.of(server, constant)));
    }

    private static Stream<TestedServer> servers(ExtensionContext context, boolean real, boolean sharded) {
        String kind = sharded ? " with ShardedListAndWatch" : "";
        TestedServer embedded = shared(context, "embedded" + kind, () -> startEmbedded(sharded));
        return real
                ? Stream.of(
                        embedded,
                        shared(
                                context,
                                "real" + kind,
                                () -> TestedServer.of(sharded ? startSharded() : SharedControlPlane.of(context))))
                : Stream.of(embedded);
    }

    private static TestedServer shared(ExtensionContext context, String name, Supplier<TestedServer> start) {
        return context.getRoot().getStore(NAMESPACE).computeIfAbsent(name, key -> start.get(), TestedServer.class);
    }

    private static TestedServer startEmbedded(boolean sharded) {
        // As the real one, which has no other way.
        return TestedServer.of(ApiServer.builder()
                .authorization(true)
                .bookmarkInterval(Duration.ofMillis(200))
                .shardedListAndWatch(sharded)
                .start());
    }

    /** A plane of its own, since a feature gate is for the whole of a process. No controllers run in it. */
    private static ControlPlane startSharded() {
        return ControlPlane.builder()
                .apiServerFlag("feature-gates", "ShardedListAndWatch=true")
                .start();
    }
}
