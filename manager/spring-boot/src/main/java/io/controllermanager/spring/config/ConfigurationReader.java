package io.controllermanager.spring.config;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.internal.WorkerThreads;
import io.controllermanager.leaderelection.internal.LeaderElectionConfig;
import io.controllermanager.leaderelection.internal.PodIdentity;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.NamespaceRules;
import io.controllermanager.manager.internal.ShardRules;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Completes what {@link ControllerManagerProperties} says once the controllers' names are known, and ends the start if
 * anything in it is wrong.
 */
public final class ConfigurationReader {

    private static final String LEASE_NAME = "[a-z0-9]([-a-z0-9.]*[a-z0-9])?";

    private final Environment environment;
    private final ControllerManagerProperties properties;
    private final ConfigurationErrors errors;
    private final Collection<Class<?>> others;
    private final PropertyChecks checks;

    /**
     * With the properties as Spring Boot bound them.
     *
     * @param errors mistakes noted while they were bound
     * @param others the classes of properties that other modules bring
     */
    public ConfigurationReader(
            Environment environment,
            ControllerManagerProperties properties,
            ConfigurationErrors errors,
            Collection<Class<?>> others) {
        this.environment = environment;
        this.properties = properties;
        this.errors = errors;
        this.others = others;
        this.checks = new PropertyChecks(environment, errors, ControllerManagerProperties.PREFIX + ".");
    }

    /**
     * Reads each controller's own settings and checks everything.
     *
     * @return how each controller that is switched on runs, by its name
     * @throws ConfigurationException with everything that is wrong
     */
    public Map<String, ControllerOptions> read(Collection<KnownController> controllers) {
        List<String> names = controllers.stream().map(KnownController::name).toList();
        new UnknownProperties(environment, names, others).report(errors);
        ControllerSelection selection = new ControllerSelection(properties.controllers());
        checks.checkElements(
                "controllers",
                properties.controllers(),
                entry -> !new ControllerSelection(List.of(entry)).unknown(names).isEmpty(),
                wrong -> UnknownProperties.noSuchController(new ControllerSelection(wrong).unknown(names), names));
        checkCommon();

        Binder binder = Binder.get(environment, new CollectingBindHandler(BindHandler.DEFAULT, errors));
        Duration forAll = properties.cacheSyncTimeout();
        Duration cacheSync = forAll == null || PropertyChecks.POSITIVE.test(forAll) ? forAll : null;
        Map<String, ControllerOptions> enabled = new LinkedHashMap<>();
        for (KnownController controller : controllers) {
            ControllerProperties own = binder.bindOrCreate(
                    CollectingBindHandler.CONTROLLER.append(controller.name()).toString(), ControllerProperties.class);
            ControllerOptions options = new ControllerOptionsReader(checks.below("controller." + controller.name()))
                    .read(controller.options(), cacheSync, own);
            if (own.enabled() && selection.includes(controller.name(), controller.enabledByDefault())) {
                enabled.put(controller.name(), options);
            }
        }
        errors.throwIfAny();
        return enabled;
    }

    /**
     * Checks that the keys of each controller can be divided as its options say, and that it can be restricted to the namespaces.
     *
     * @throws ConfigurationException with everything that is wrong
     */
    public void checkControllers(Collection<ControllerRegistration> controllers) {
        for (ControllerRegistration controller : controllers) {
            String wrong = ShardRules.wrongBy(controller);
            if (wrong != null) {
                String by = controller.options().shards().by().word();
                checks.report("controller." + controller.name() + ".shard-by", by, wrong);
            }
            String elsewhere = NamespaceRules.wrongBy(controller, properties.namespaces());
            if (elsewhere != null) {
                checks.report("namespaces", String.join(",", properties.namespaces()), elsewhere);
            }
        }
        errors.throwIfAny();
    }

    private void checkCommon() {
        checkElection(properties.leaderElection(), checks.below("leader-election"));
        checks.checkElements(
                "namespaces", properties.namespaces(), entry -> !isNamespace(entry), ConfigurationReader::noNamespaces);
        checks.check(
                "client.qps",
                properties.client().qps(),
                qps -> qps != 0 && Double.isFinite(qps),
                "must be a number more than 0, or negative for no limit");
        checks.checkAtLeastOne("client.burst", properties.client().burst());
        checks.checkAtLeastOne("events.burst", properties.events().burst());
        checks.check(
                "events.qps",
                properties.events().eachSecond(),
                qps -> qps > 0 && !Double.isInfinite(qps),
                "must be a number more than 0");
        checkNotNegative(checks, "shutdown-timeout", properties.shutdownTimeout());
        checks.checkAtLeastOne("informers.page-size", properties.informers().pageSize());
        checkNotNegative(
                checks, "informers.disconnect-timeout", properties.informers().disconnectTimeout());
        checks.check(
                "page.path",
                properties.page().path(),
                ControllerManagerProperties.Page::isPath,
                "must be / or a path such as /controllers, with no slash at its end");
        checkAuthentication(properties.endpoints().authentication(), checks.below("endpoints.authentication"));
        checkAnnotation("paused", properties.annotations().paused());
        checkAnnotation("reconcile-at", properties.annotations().reconcileAt());
        checks.check(
                "virtual-threads",
                properties.virtualThreads(),
                wanted -> !wanted || WorkerThreads.virtualAvailable(),
                "virtual threads need Java 21 or later, this is " + Runtime.version());
        checks.checkPositive("cache-sync-timeout", properties.cacheSyncTimeout());
    }

    private static void checkElection(LeaderElectionProperties election, PropertyChecks checks) {
        boolean lease = checks.checkPositive("lease-duration", election.leaseDuration());
        boolean renew = checks.checkPositive("renew-deadline", election.renewDeadline());
        boolean retry = checks.checkPositive("retry-period", election.retryPeriod());
        if (lease && renew && retry) {
            checkElectionTimes(election, checks);
        }
        checks.check(
                "resource-name",
                election.resourceName(),
                name -> name.matches(LEASE_NAME),
                "must be a name as Kubernetes allows it: lower case letters, digits, dots and dashes");
        checks.check(
                "former-resource-name",
                election.formerResourceName(),
                name -> name.isBlank() || name.matches("([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?" + LEASE_NAME),
                "must be the name of a Lease, or namespace/name");
        checks.check(
                "pod-uid",
                election.podUid(),
                uid -> uid.isBlank() || PodIdentity.isPodUid(uid),
                "no uid of a pod; allowed are letters, digits and dashes");
        String namespace = election.resourceNamespace();
        if (namespace != null && !isNamespace(namespace)) {
            checks.report("resource-namespace", namespace, noNamespaces(List.of(namespace.strip())));
        }
    }

    private static void checkElectionTimes(LeaderElectionProperties election, PropertyChecks checks) {
        checks.check(
                "lease-duration",
                election.leaseDuration(),
                lease -> lease.compareTo(election.renewDeadline()) > 0,
                "must be longer than renew-deadline, which is " + GoDuration.format(election.renewDeadline()));
        checks.check(
                "lease-duration",
                election.leaseDuration(),
                lease -> lease.toNanosPart() == 0,
                "must be whole seconds, since a Lease stores no fractions");
        double jitter = LeaderElectionConfig.JITTER_FACTOR;
        Duration longestRetry = Duration.ofNanos((long) (election.retryPeriod().toNanos() * jitter));
        checks.check(
                "renew-deadline",
                election.renewDeadline(),
                renew -> renew.compareTo(longestRetry) > 0,
                "must be longer than " + jitter + " times retry-period, which is "
                        + GoDuration.format(election.retryPeriod()));
    }

    private static void checkAuthentication(AuthenticationProperties authentication, PropertyChecks checks) {
        checkNotNegative(checks, "cache-ttl", authentication.cacheTtl());
        checkNotNegative(checks, "allowed-cache-ttl", authentication.allowedCacheTtl());
        checkNotNegative(checks, "denied-cache-ttl", authentication.deniedCacheTtl());
        checks.checkPositive("timeout", authentication.timeout());
    }

    private static void checkNotNegative(PropertyChecks checks, String property, Duration duration) {
        checks.check(property, duration, PropertyChecks.NOT_NEGATIVE, "must not be negative");
    }

    private void checkAnnotation(String property, String name) {
        checks.check(
                "annotations." + property,
                name,
                text -> text.matches("([a-z0-9][-a-z0-9.]*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"),
                "must be the name of an annotation, such as example.com/" + property);
    }

    /** Whether it is a DNS label, which a namespace's name has to be, or blank, which is as if it were not set. */
    private static boolean isNamespace(String text) {
        return text.isBlank() || text.strip().matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
    }

    private static String noNamespaces(List<String> names) {
        return (names.size() == 1 ? "no name of a namespace: " : "no names of namespaces: ")
                + names.stream().map(name -> '"' + name + '"').collect(Collectors.joining(", "))
                + "; allowed are at most 63 lower case letters, digits and dashes, with no dash at either end";
    }
}
