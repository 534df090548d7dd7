package com.example.website;

import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.config.LeaderElectionConfiguration;

/** The application. */
public final class WebsiteOperator {

    private WebsiteOperator() {}

    public static void main(String... arguments) {
        Operator operator = new Operator(configuration -> configuration
                .withConcurrentReconciliationThreads(4)
                .withLeaderElectionConfiguration(
                        new LeaderElectionConfiguration("website-operator", "website-operator")));
        operator.register(new WebsiteReconciler(new DnsRecords()));
        operator.start();
    }
}
