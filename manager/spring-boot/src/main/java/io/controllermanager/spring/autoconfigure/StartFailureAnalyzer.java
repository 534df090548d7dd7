package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.transport.ApiAccessException;
import io.controllermanager.spring.config.ConfigurationException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Describes a start that failed because of the configuration or because there is no way to the API server. */
final class StartFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConfigurationException || cause instanceof ApiAccessException) {
                return new FailureAnalysis(cause.getMessage(), null, cause);
            }
        }
        return null;
    }
}
