package io.controllermanager.app;

import io.controllermanager.spring.config.ConfigurationException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Reports a failed start on stderr, in one line for each error. */
final class OneLineFailureReporter implements FailureAnalysisReporter {

    @Override
    @SuppressWarnings("SystemOut")
    public void report(FailureAnalysis analysis) {
        if (analysis.getCause() instanceof ConfigurationException configuration) {
            configuration.errors().forEach(error -> System.err.println(error.line()));
        } else {
            System.err.println(analysis.getDescription().strip().replaceAll("\\s*\\R\\s*", " "));
        }
    }
}
