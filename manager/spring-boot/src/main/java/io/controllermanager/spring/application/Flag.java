package io.controllermanager.spring.application;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A flag that operators of kube-controller-manager or sample-controller know, and the property that it sets.
 *
 * @param name without dashes in front; {@code <name>} stands for a controller's name
 * @param property the property, with {@code <name>} where the flag has it
 * @param kind what follows it
 * @param description for {@code --help}
 */
record Flag(String name, String property, Kind kind, String description) {

    /** What follows a flag. */
    enum Kind {
        /** One value; the last one given counts. */
        VALUE,
        /** Values with commas between them; may be given again, which adds to the list. */
        LIST,
        /** true or false, and true if nothing follows. */
        SWITCH
    }

    private static final String PREFIX = "controller-manager.";

    static final List<Flag> ALL = List.of(
            value("kubeconfig", "kubeconfig", "kubeconfig file with the API server's address and the credentials"),
            value("master", "master", "URL of the API server, instead of the kubeconfig's"),
            list("controllers", "controllers", "'*' all that are on by default, NAME that one, -NAME not that one"),
            list("namespace", "namespaces", "namespace to watch; all if not given"),
            value(
                    "concurrent-<name>-syncs",
                    "controller.<name>.workers",
                    "how many keys a controller works on at once"),
            value("kube-api-qps", "client.qps", "requests a second to the API server; negative for no limit"),
            value("kube-api-burst", "client.burst", "requests at once before that limit holds"),
            new Flag(
                    "dry-run",
                    PREFIX + "dry-run",
                    Kind.SWITCH,
                    "print what would be changed, change nothing, and end: 0 no change, 2 changes, 1 failed"),
            value("dry-run-output", "plan.output", "how that is printed: text or json"),
            new Flag(
                    "leader-elect",
                    PREFIX + "leader-election.enabled",
                    Kind.SWITCH,
                    "whether replicas compete for a Lease, so that one works"),
            value(
                    "leader-elect-lease-duration",
                    "leader-election.lease-duration",
                    "wait before a silent leader's Lease is taken"),
            value(
                    "leader-elect-renew-deadline",
                    "leader-election.renew-deadline",
                    "how long the leader goes on without a renewal"),
            value(
                    "leader-elect-retry-period",
                    "leader-election.retry-period",
                    "wait between attempts to take or renew the Lease"),
            value("leader-elect-resource-name", "leader-election.resource-name", "name of the Lease"),
            value("leader-elect-resource-namespace", "leader-election.resource-namespace", "namespace of the Lease"));

    /** The flag of that name, and the property it sets, if there is one. */
    static Optional<Match> find(String name) {
        return ALL.stream()
                .map(flag -> {
                    Matcher matcher = flag.pattern().matcher(name);
                    if (!matcher.matches()) {
                        return Optional.<Match>empty();
                    }
                    String property = matcher.groupCount() == 0
                            ? flag.property()
                            : flag.property().replace("<name>", matcher.group(1));
                    return Optional.of(new Match(flag, property));
                })
                .flatMap(Optional::stream)
                .findFirst();
    }

    /**
     * A flag as it was given.
     *
     * @param flag the flag
     * @param property the property it sets
     */
    record Match(Flag flag, String property) {}

    private Pattern pattern() {
        return Pattern.compile(String.join(
                "([a-z0-9-]+)",
                Arrays.stream(name.split("<name>", -1)).map(Pattern::quote).toList()));
    }

    private static Flag value(String name, String property, String description) {
        return new Flag(name, PREFIX + property, Kind.VALUE, description);
    }

    private static Flag list(String name, String property, String description) {
        return new Flag(name, PREFIX + property, Kind.LIST, description);
    }
}
