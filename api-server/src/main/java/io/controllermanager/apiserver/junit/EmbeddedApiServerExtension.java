package io.controllermanager.apiserver.junit;

import static com.google.common.base.Preconditions.checkArgument;

import io.controllermanager.apiserver.ApiServer;
import io.controllermanager.apiserver.ApiServerBuilder;
import io.controllermanager.apiserver.rights.DeclaredRights;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** What stands behind {@link EmbeddedApiServer}. The stores close the servers, for they are {@link AutoCloseable}. */
final class EmbeddedApiServerExtension implements ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(EmbeddedApiServerExtension.class);

    private static final String SPRING = "org.springframework.test.context.junit.jupiter.SpringExtension";

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return (type == ApiServer.class || type == ApiClient.class)
                && !(isSprings(context) && SpringContexts.resolve(parameter, context));
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        ApiServer server = server(context);
        return parameter.getParameter().getType() == ApiServer.class ? server : server.client();
    }

    private static ApiServer server(ExtensionContext context) {
        ExtensionContext owner = annotated(context)
                .orElseThrow(() -> new ParameterResolutionException("No class here is annotated @EmbeddedApiServer"));
        if (isSprings(context)) {
            return SpringContexts.server(context);
        }
        EmbeddedApiServer wanted = annotation(owner).orElseThrow();
        ExtensionContext lifetime = wanted.shared() ? owner : context;
        return lifetime.getStore(NAMESPACE).computeIfAbsent(ApiServer.class, key -> start(wanted), ApiServer.class);
    }

    /** Whether Spring runs the class, or one around it. Spring need not be there: it is looked for by its name. */
    private static boolean isSprings(ExtensionContext context) {
        return Stream.<Class<?>>iterate(context.getRequiredTestClass(), Objects::nonNull, Class::getEnclosingClass)
                .flatMap(type -> AnnotationSupport.findRepeatableAnnotations(type, ExtendWith.class).stream())
                .flatMap(extended -> Stream.of(extended.value()))
                .anyMatch(extension -> extension.getName().equals(SPRING));
    }

    /** The innermost of nested classes that carries the annotation. */
    private static Optional<ExtensionContext> annotated(ExtensionContext context) {
        return Stream.iterate(Optional.of(context), Optional::isPresent, at -> at.flatMap(ExtensionContext::getParent))
                .flatMap(Optional::stream)
                // A method's context names the class too, but does not live as long.
                .filter(at -> at.getTestMethod().isEmpty() && annotation(at).isPresent())
                .findFirst();
    }

    private static Optional<EmbeddedApiServer> annotation(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getTestClass(), EmbeddedApiServer.class);
    }

    static ApiServer start(EmbeddedApiServer wanted) {
        ApiServerBuilder settings = ApiServer.builder()
                .seed(wanted.seed())
                .world(wanted.world())
                .bookmarkInterval(Duration.ofMillis(wanted.bookmarkIntervalMillis()))
                .authorization(wanted.authorization())
                .manifests(wanted.manifests());
        List<String> named = List.of(wanted.rights());
        boolean grantable = named.isEmpty() || !wanted.user().isEmpty();
        checkArgument(grantable, "rights = %s needs a user, to whom they are granted", named);
        List<DeclaredRights> rights = named.stream().map(DeclaredRights::of).toList();
        ApiServer server = (wanted.user().isEmpty() ? settings : settings.user(wanted.user())).start();
        try {
            for (DeclaredRights declared : rights) {
                declared.grantTo(wanted.user(), server.client());
            }
        } catch (ApiException | RuntimeException e) {
            server.close();
            String what = "rights = " + named + " cannot be granted to " + wanted.user();
            throw new IllegalStateException(what + ": " + e.getMessage(), e);
        }
        return server;
    }

    /** What is asked of Spring. A class of its own, since Spring is there for tests with Spring only. */
    private static final class SpringContexts {

        /** Whether Spring gives the parameter its value, as it does for {@code @Autowired}. */
        static boolean resolve(ParameterContext parameter, ExtensionContext context) {
            return new SpringExtension().supportsParameter(parameter, context);
        }

        /** The server of the test's application context. */
        static ApiServer server(ExtensionContext context) {
            return SpringExtension.getApplicationContext(context).getBean(ApiServer.class);
        }
    }
}
