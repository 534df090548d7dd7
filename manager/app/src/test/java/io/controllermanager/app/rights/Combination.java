package io.controllermanager.app.rights;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One way to install the chart.
 *
 * @param controllers those that are on
 * @param namespaced whether one namespace is watched rather than all
 * @param election how it is decided who works
 * @param replicas how many there are at first
 * @param options further ones for helm
 */
record Combination(Set<String> controllers, boolean namespaced, Election election, int replicas, List<String> options) {

    /** How it is decided who works. */
    enum Election {
        ONE_LEASE,
        LEASE_PER_CONTROLLER,
        NONE
    }

    /** A pod that leads. */
    static Combination of(Set<String> controllers, boolean namespaced) {
        return new Combination(controllers, namespaced, Election.ONE_LEASE, 1, List.of());
    }

    Combination election(Election other) {
        return new Combination(controllers, namespaced, other, replicas, options);
    }

    /** With failover and restart. */
    Combination withStandby() {
        return new Combination(controllers, namespaced, election, 2, options);
    }

    Combination option(String option) {
        List<String> more = new ArrayList<>(options);
        more.add(option);
        return new Combination(controllers, namespaced, election, replicas, more);
    }

    /** What helm is told. */
    String[] values(String system, String watched) {
        List<String> values = new ArrayList<>(options);
        values.addAll(List.of(
                "--namespace=" + system,
                "--set-json=controllers="
                        + (controllers.isEmpty() ? "[]" : "[\"" + String.join(",", controllers) + "\"]"),
                "--set=replicas=" + replicas,
                "--set=leaderElection.enabled=" + (election != Election.NONE),
                "--set=leaderElection.leasePerController="
                        + (election == Election.LEASE_PER_CONTROLLER ? "true" : "null"),
                "--set=leaderElection.retryPeriod=1s",
                // So that a refused watch makes a pod unready at once, and an operator may have a controller begin
                // anew.
                "--set-string=properties.controller-manager\\.informers\\.disconnect-timeout=1s",
                "--set-string=properties.management\\.endpoint\\.controllers\\.access=unrestricted"));
        if (namespaced) {
            values.add("--set=namespaces={" + watched + "}");
        }
        return values.toArray(String[]::new);
    }

    @Override
    public String toString() {
        return (controllers.isEmpty() ? "no controller" : String.join(" and ", controllers))
                + (namespaced ? " in a namespace" : " in all namespaces")
                + switch (election) {
                    case ONE_LEASE -> "";
                    case LEASE_PER_CONTROLLER -> ", a Lease for each";
                    case NONE -> ", no Lease";
                }
                + (options.isEmpty() ? "" : ", Foo without status subresource");
    }
}
