package io.controllermanager.spring.config;

import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.controller.internal.WorkerThreads;
import io.controllermanager.leaderelection.internal.PodIdentity;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.NamespaceRules;
import io.controllermanager.manager.internal.ShardRules;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * Completes what {@link ControllerManagerProperties} says once the controllers' names are known, and ends the start if
 * anything in it is wrong.
 */
public final class ConfigurationReader {

    private static final String LEASE_NAME = "[a-z0-9]([-a-z0-9.]*[a-z0-9])?";
    private static final String LEADER_ELECTION = ControllerManagerProperties.PREFIX + ".leader-election.";
    private static final String CLIENT = ControllerManagerProperties.PREFIX + ".client.";
    private static final String EVENTS = ControllerManagerProperties.PREFIX + ".events.";
    private static final String AUTHENTICATION = ControllerManagerProperties.PREFIX + ".endpoints.authentication.";

    /** A retry's wait is lengthened by up to this factor, as in client-go's leaderelection. */
    private static final double JITTER = 1.2;

    private final Environment environment;
    private final ControllerManagerProperties properties;
    private final ConfigurationErrors errors;
    private final Collection<Class<?>> others;

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
        ControllerSelection selection = new ControllerSelection(properties.getControllers());
        reportElements(
                ControllerManagerProperties.PREFIX + ".controllers",
                properties.getControllers(),
                entry -> !new ControllerSelection(List.of(entry)).unknown(names).isEmpty(),
                wrong -> UnknownProperties.noSuchController(new ControllerSelection(wrong).unknown(names), names));
        checkCommon();

        Binder binder = Binder.get(environment, new CollectingBindHandler(BindHandler.DEFAULT, errors));
        Duration forAll = properties.getCacheSyncTimeout();
        Duration cacheSync = forAll == null || isPositive(forAll) ? forAll : null;
        Map<String, ControllerOptions> enabled = new LinkedHashMap<>();
        for (KnownController controller : controllers) {
            ConfigurationPropertyName prefix = CollectingBindHandler.CONTROLLER.append(controller.name());
            ControllerProperties own = new ControllerProperties();
            binder.bind(prefix, Bindable.ofInstance(own));
            properties.getController().put(controller.name(), own);
            ControllerOptions options =
                    new ControllerOptionsReader(prefix + ".", this::report).read(controller.options(), cacheSync, own);
            if (own.isEnabled() && selection.includes(controller.name(), controller.enabledByDefault())) {
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
                report(
                        CollectingBindHandler.CONTROLLER.append(controller.name()) + ".shard-by",
                        controller.options().shards().by().word(),
                        wrong);
            }
            String elsewhere = NamespaceRules.wrongBy(controller, properties.getNamespaces());
            if (elsewhere != null) {
                report(
                        ControllerManagerProperties.PREFIX + ".namespaces",
                        String.join(",", properties.getNamespaces()),
                        elsewhere);
            }
        }
        errors.throwIfAny();
    }

    private void checkCommon() {
        LeaderElectionProperties election = properties.getLeaderElection();
        boolean lease = checkPositive(LEADER_ELECTION + "lease-duration", election.getLeaseDuration());
        boolean renew = checkPositive(LEADER_ELECTION + "renew-deadline", election.getRenewDeadline());
        boolean retry = checkPositive(LEADER_ELECTION + "retry-period", election.getRetryPeriod());
        if (lease && renew && retry) {
            checkElectionTimes(election);
        }
        String resourceName = election.getResourceName();
        if (!resourceName.matches(LEASE_NAME)) {
            report(
                    LEADER_ELECTION + "resource-name",
                    resourceName,
                    "must be a name as Kubernetes allows it: lower case letters, digits, dots and dashes");
        }
        String former = election.getFormerResourceName();
        if (former != null && !former.isBlank() && !former.matches("([a-z0-9]([-a-z0-9]*[a-z0-9])?/)?" + LEASE_NAME)) {
            report(LEADER_ELECTION + "former-resource-name", former, "must be the name of a Lease, or namespace/name");
        }
        String podUid = election.getPodUid();
        if (podUid != null && !podUid.isBlank() && !PodIdentity.isPodUid(podUid)) {
            report(LEADER_ELECTION + "pod-uid", podUid, "no uid of a pod; allowed are letters, digits and dashes");
        }
        String resourceNamespace = election.getResourceNamespace();
        if (resourceNamespace != null && !isNamespace(resourceNamespace)) {
            report(
                    LEADER_ELECTION + "resource-namespace",
                    resourceNamespace,
                    noNamespaces(List.of(resourceNamespace.strip())));
        }
        reportElements(
                ControllerManagerProperties.PREFIX + ".namespaces",
                properties.getNamespaces(),
                entry -> !isNamespace(entry),
                ConfigurationReader::noNamespaces);
        double qps = properties.getClient().getQps();
        if (qps == 0 || !Double.isFinite(qps)) {
            report(CLIENT + "qps", String.valueOf(qps), "must be a number more than 0, or negative for no limit");
        }
        if (properties.getClient().getBurst() < 1) {
            report(CLIENT + "burst", String.valueOf(properties.getClient().getBurst()), "must be at least 1");
        }
        ControllerManagerProperties.Events events = properties.getEvents();
        if (events.getBurst() < 1) {
            report(EVENTS + "burst", String.valueOf(events.getBurst()), "must be at least 1");
        }
        if (!(events.getQps() > 0) || Double.isInfinite(events.getQps())) {
            report(EVENTS + "qps", String.valueOf(events.getQps()), "must be a number more than 0");
        }
        checkNotNegative(ControllerManagerProperties.PREFIX + ".shutdown-timeout", properties.getShutdownTimeout());
        int pageSize = properties.getInformers().getPageSize();
        if (pageSize < 1) {
            report(
                    ControllerManagerProperties.PREFIX + ".informers.page-size",
                    String.valueOf(pageSize),
                    "must be at least 1");
        }
        checkNotNegative(
                ControllerManagerProperties.PREFIX + ".informers.disconnect-timeout",
                properties.getInformers().getDisconnectTimeout());
        String page = properties.getPage().getPath();
        if (!ControllerManagerProperties.Page.isPath(page)) {
            report(
                    ControllerManagerProperties.PREFIX + ".page.path",
                    page,
                    "must be / or a path such as /controllers, with no slash at its end");
        }
        checkAuthentication(properties.getEndpoints().getAuthentication());
        ControllerManagerProperties.Annotations annotations = properties.getAnnotations();
        checkAnnotation("paused", annotations.getPaused());
        checkAnnotation("reconcile-at", annotations.getReconcileAt());
        if (Boolean.TRUE.equals(properties.getVirtualThreads()) && !WorkerThreads.virtualAvailable()) {
            report(
                    ControllerManagerProperties.PREFIX + ".virtual-threads",
                    "true",
                    "virtual threads need Java 21 or later, this is " + Runtime.version());
        }
        checkPositive(ControllerManagerProperties.PREFIX + ".cache-sync-timeout", properties.getCacheSyncTimeout());
    }

    private void checkAuthentication(AuthenticationProperties authentication) {
        checkNotNegative(AUTHENTICATION + "cache-ttl", authentication.getCacheTtl());
        checkNotNegative(AUTHENTICATION + "allowed-cache-ttl", authentication.getAllowedCacheTtl());
        checkNotNegative(AUTHENTICATION + "denied-cache-ttl", authentication.getDeniedCacheTtl());
        checkPositive(AUTHENTICATION + "timeout", authentication.getTimeout());
    }

    private void checkAnnotation(String property, String name) {
        if (!name.matches("([a-z0-9][-a-z0-9.]*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")) {
            report(
                    ControllerManagerProperties.PREFIX + ".annotations." + property,
                    name,
                    "must be the name of an annotation, such as example.com/" + property);
        }
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

    private void checkElectionTimes(LeaderElectionProperties election) {
        if (election.getLeaseDuration().compareTo(election.getRenewDeadline()) <= 0) {
            report(
                    LEADER_ELECTION + "lease-duration",
                    GoDuration.format(election.getLeaseDuration()),
                    "must be longer than renew-deadline, which is " + GoDuration.format(election.getRenewDeadline()));
        }
        if (election.getLeaseDuration().toNanosPart() != 0) {
            report(
                    LEADER_ELECTION + "lease-duration",
                    GoDuration.format(election.getLeaseDuration()),
                    "must be whole seconds, since a Lease stores no fractions");
        }
        Duration longestRetry =
                Duration.ofNanos((long) (election.getRetryPeriod().toNanos() * JITTER));
        if (election.getRenewDeadline().compareTo(longestRetry) <= 0) {
            report(
                    LEADER_ELECTION + "renew-deadline",
                    GoDuration.format(election.getRenewDeadline()),
                    "must be longer than " + JITTER + " times retry-period, which is "
                            + GoDuration.format(election.getRetryPeriod()));
        }
    }

    private boolean checkPositive(String property, @Nullable Duration duration) {
        if (duration == null || isPositive(duration)) {
            return true;
        }
        report(property, GoDuration.format(duration), "must be longer than 0");
        return false;
    }

    private void checkNotNegative(String property, Duration duration) {
        if (duration.isNegative()) {
            report(property, GoDuration.format(duration), "must not be negative");
        }
    }

    private static boolean isPositive(Duration duration) {
        return !duration.isNegative() && !duration.isZero();
    }

    private void report(String property, String value, String message) {
        if (errors.has(property)) {
            return;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty found = source.getConfigurationProperty(name);
            if (found != null) {
                errors.add(name, found, message);
                return;
            }
        }
        errors.add(new ConfigurationError(property, value, null, message));
    }

    /**
     * Reports the wrong elements of a list: each by its index where the list was set element by element, else together.
     */
    private void reportElements(
            String property, List<String> elements, Predicate<String> wrong, Function<List<String>, String> message) {
        List<String> all =
                elements.stream().map(String::strip).filter(wrong).distinct().toList();
        if (all.isEmpty()) {
            return;
        }
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source.getConfigurationProperty(name) != null) {
                break;
            }
            if (source.getConfigurationProperty(name.append("[0]")) != null) {
                for (int i = 0; i < elements.size(); i++) {
                    String element = elements.get(i).strip();
                    if (wrong.test(element)) {
                        report(property + "[" + i + "]", element, message.apply(List.of(element)));
                    }
                }
                return;
            }
        }
        report(property, String.join(",", elements), message.apply(all));
    }
}
