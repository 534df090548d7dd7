package io.controllermanager.spring.application;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A flag that operators of kube-controller-manager or sample-controller know, and the property that it sets.
 *
 * @param name without dashes in front; {@code <name>} stands for a controller's name
 * @param property the property, with {@code <name>} where the flag has it
 * @param kind what follows it
 * @param description for {@code --help}
 * @param conversion makes the property's value of the flag's; its IllegalArgumentException says what is allowed
 * @param beside what else is set with it
 */
record Flag(
        String name,
        String property,
        Kind kind,
        String description,
        UnaryOperator<String> conversion,
        Map<String, String> beside) {

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

    /** The certificate of flags is a bundle, since those are read again when they are renewed. */
    private static final String BUNDLE = "spring.ssl.bundle.pem.flags.";

    static final String CERTIFICATE = BUNDLE + "keystore.certificate";
    static final String PRIVATE_KEY = BUNDLE + "keystore.private-key";

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
            common(
                    "dry-run",
                    "dry-run",
                    Kind.SWITCH,
                    "print what would be changed, change nothing, and end: 0 no change, 2 changes, 1 failed"),
            value("dry-run-output", "plan.output", "how that is printed: text or json"),
            common(
                    "leader-elect",
                    "leader-election.enabled",
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
            value("leader-elect-resource-namespace", "leader-election.resource-namespace", "namespace of the Lease"),
            value(
                    "controller-shutdown-timeout",
                    "shutdown-timeout",
                    "how long running reconciles may take to end at a stop"),
            value(
                    "authentication-token-webhook-cache-ttl",
                    "endpoints.authentication.cache-ttl",
                    "how long an answer about a token is remembered"),
            value(
                    "authorization-webhook-cache-authorized-ttl",
                    "endpoints.authentication.allowed-cache-ttl",
                    "how long it is remembered that a request was allowed"),
            value(
                    "authorization-webhook-cache-unauthorized-ttl",
                    "endpoints.authentication.denied-cache-ttl",
                    "how long it is remembered that a request was denied"),
            server("bind-address", "server.address", FlagValues::address, "address to listen on"),
            server(
                    "secure-port",
                    "server.port",
                    FlagValues::port,
                    "port to listen on, 0 for none; by HTTPS with --tls-cert-file"),
            new Flag(
                    "tls-cert-file",
                    CERTIFICATE,
                    Kind.VALUE,
                    "certificate in PEM to serve HTTPS with, read again when it is renewed",
                    UnaryOperator.identity(),
                    Map.of("server.ssl.bundle", "flags", BUNDLE + "reload-on-update", "true")),
            server("tls-private-key-file", PRIVATE_KEY, UnaryOperator.identity(), "key of that certificate"),
            server(
                    "tls-min-version",
                    BUNDLE + "options.enabled-protocols",
                    FlagValues::tlsProtocols,
                    "VersionTLS12 or VersionTLS13, with --tls-cert-file"),
            new Flag(
                    "tls-cipher-suites",
                    BUNDLE + "options.ciphers",
                    Kind.LIST,
                    "cipher suites to serve with, with --tls-cert-file",
                    FlagValues::cipherSuites,
                    Map.of()),
            server(
                    "v",
                    "logging.level.io.controllermanager",
                    FlagValues::logLevel,
                    "how much is logged: 0 to 3 INFO, 4 and 5 DEBUG, from 6 on TRACE"),
            server(
                    "logging-format",
                    "logging.structured.format.console",
                    FlagValues::logFormat,
                    "text, or json for the Elastic Common Schema"));

    /** The flag of that name, and the property it sets, if there is one. */
    static Optional<Match> find(String name) {
        for (Flag flag : ALL) {
            Matcher matcher = flag.pattern().matcher(name);
            if (matcher.matches()) {
                String controller = matcher.groupCount() == 0 ? "" : matcher.group(1);
                return Optional.of(new Match(flag, flag.property().replace("<name>", controller)));
            }
        }
        return Optional.empty();
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
        return common(name, property, Kind.VALUE, description);
    }

    private static Flag list(String name, String property, String description) {
        return common(name, property, Kind.LIST, description);
    }

    private static Flag common(String name, String property, Kind kind, String description) {
        return new Flag(name, PREFIX + property, kind, description, UnaryOperator.identity(), Map.of());
    }

    private static Flag server(String name, String property, UnaryOperator<String> conversion, String description) {
        return new Flag(name, property, Kind.VALUE, description, conversion, Map.of());
    }
}
