package io.controllermanager.app;

import io.controllermanager.spring.config.ConfigurationException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** Reports a failed start on stderr, in one line for each error; not one that fails because the process is stopping. */
final class OneLineFailureReporter implements FailureAnalysisReporter {

    @Override
    @SuppressWarnings("SystemOut")
    public void report(FailureAnalysis analysis) {
        if (ExitCode.isStopping()) {
            return;
        }
        if (analysis.getCause() instanceof ConfigurationException configuration) {
            configuration.errors().forEach(error -> System.err.println(error.line()));
        } else {
            System.err.println(analysis.getDescription().strip().replaceAll("\\s*\\R\\s*", " "));
        }
    }
}
