package io.controllermanager.app;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/**
 * Describes a failed start that no other analyzer knows by its innermost cause; the stack is logged at DEBUG. Asks the
 * others itself: most of them have no order, and nothing can be ordered behind those.
 */
final class AnyFailureAnalyzer implements FailureAnalyzer {

    private static final Logger log = LoggerFactory.getLogger(AnyFailureAnalyzer.class);

    private final ArgumentResolver arguments;

    AnyFailureAnalyzer(@Nullable BeanFactory beans, @Nullable Environment environment) {
        ArgumentResolver resolver = ArgumentResolver.none();
        if (beans != null) {
            resolver = resolver.and(BeanFactory.class, beans);
        }
        if (environment != null) {
            resolver = resolver.and(Environment.class, environment);
        }
        this.arguments = resolver;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        log.debug("The start failed", failure);
        FailureHandler skip = (type, name, problem) -> log.trace("{} cannot be made", name, problem);
        for (FailureAnalyzer other : SpringFactoriesLoader.forDefaultResourceLocation(
                        getClass().getClassLoader())
                .load(FailureAnalyzer.class, arguments, skip)) {
            FailureAnalysis analysis = other instanceof AnyFailureAnalyzer ? null : other.analyze(failure);
            if (analysis != null) {
                return analysis;
            }
        }
        Throwable root = failure;
        for (Throwable cause = root.getCause(); cause != null && cause != root; cause = root.getCause()) {
            root = cause;
        }
        String message = root.getMessage();
        String name = root.getClass().getSimpleName();
        return new FailureAnalysis(message == null ? name : name + ": " + message, null, root);
    }
}
