package io.controllermanager.spring.autoconfigure;

import io.controllermanager.client.internal.connection.ApiConnection;
import io.controllermanager.client.internal.connection.HttpSettings;
import io.controllermanager.client.internal.connection.RequestLimits;
import io.controllermanager.client.internal.plan.Plan;
import io.controllermanager.clientjava.internal.ClientJavaInformerFactory;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.informer.internal.InformerOptions;
import io.controllermanager.leaderelection.internal.PodIdentity;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.recorder.internal.EventBroadcaster;
import io.controllermanager.recorder.internal.EventLimits;
import io.controllermanager.spring.config.CollectingBindHandlerAdvisor;
import io.controllermanager.spring.config.ConfigurationErrors;
import io.controllermanager.spring.config.ConfigurationReader;
import io.controllermanager.spring.config.ControllerManagerProperties;
import io.controllermanager.time.Clock;
import io.controllermanager.time.internal.SystemTimer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.spring.extended.controller.KubernetesInformerFactoryProcessor;
import io.kubernetes.client.spring.extended.controller.config.KubernetesInformerAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Hosts the controllers found among the beans: descriptors, client-java's {@code Controller}s, and reconcilers annotated
 * for client-java. Comes before client-java's own auto-configuration, whose client would look for an API server while
 * beans are made.
 */
@AutoConfiguration(
        before = KubernetesInformerAutoConfiguration.class,
        after = {CompositeMeterRegistryAutoConfiguration.class, ObservationAutoConfiguration.class})
@ConditionalOnBooleanProperty(name = "controller-manager.enabled", matchIfMissing = true)
@EnableConfigurationProperties(ControllerManagerProperties.class)
@Import({ApiConnectionConfiguration.WithoutOther.class, ApiConnectionConfiguration.WithOther.class})
public final class ControllerManagerAutoConfiguration {

    /** Requests a second of a dry run, unless others are set. */
    private static final double PLAN_QPS = 20;

    private final String identity = PodIdentity.ofHost();

    @Bean
    static ConfigurationErrors controllerManagerConfigurationErrors() {
        return new ConfigurationErrors();
    }

    @Bean
    static CollectingBindHandlerAdvisor controllerManagerBindHandlerAdvisor(ConfigurationErrors errors) {
        return new CollectingBindHandlerAdvisor(errors);
    }

    @Bean
    @ConditionalOnMissingBean
    Clock controllerManagerClock() {
        return Clock.system();
    }

    @Bean
    @ConditionalOnMissingBean
    SystemTimer controllerManagerTimer() {
        return new SystemTimer("controller-manager-timer");
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    ApiConnection kubernetesApiConnection(
            ApiAccessSource access,
            Clock clock,
            SystemTimer timer,
            ControllerManagerProperties properties,
            Environment environment,
            ObjectProvider<MeterRegistry> meters,
            ObjectProvider<ApiClientCustomizer> customizers) {
        ControllerManagerProperties.Client client = properties.client();
        // Values that make no sense are reported with all others, after beans have been made.
        // A dry run is nobody's business but its own, and the real process works beside it.
        boolean gentle = properties.dryRun() && environment.getProperty("controller-manager.client.qps") == null;
        double qps = gentle ? PLAN_QPS : client.qps();
        boolean limited = qps > 0 && Double.isFinite(qps) && client.burst() > 0;
        RequestLimits limits = limited ? new RequestLimits(qps, client.burst()) : RequestLimits.NONE;
        String name = environment.getProperty("spring.application.name", "controller-manager");
        String version = environment.getProperty("spring.application.version", "unknown");
        ApiConnection.Builder builder = ApiConnection.builder(clock, timer)
                .http(HttpSettings.DEFAULTS.withLimits(limits).withUserAgent(name + "/" + version));
        meters.ifAvailable(builder::metrics);
        if (properties.dryRun()) {
            builder.dryRun(new Plan());
        }
        if (access.followed() != null) {
            builder.apiClient(access.followed().client());
        }
        ApiConnection connection = builder.build();
        customizers.orderedStream().forEach(customizer -> customizer.customize(connection.apiClient()));
        return connection;
    }

    /** The name is client-java's, and it takes the place of client-java's own. */
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    @ConditionalOnBooleanProperty(name = "kubernetes.informer.enabled", matchIfMissing = true)
    @SuppressWarnings("deprecation") // client-java's annotations, which are there to be supported
    static KubernetesInformerFactoryProcessor kubernetesInformerConfigurer() {
        return new HostInformerProcessor();
    }

    /** The name is client-java's: its annotation support looks for it. */
    @Bean
    @ConditionalOnMissingBean(value = SharedInformerFactory.class, search = SearchStrategy.CURRENT)
    ClientJavaInformerFactory sharedInformerFactory(InformerFactory informers, ApiConnection connection) {
        return new ClientJavaInformerFactory(informers, connection);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    InformerFactory controllerManagerInformerFactory(
            ApiConnection connection, Clock clock, SystemTimer timer, ControllerManagerProperties properties) {
        Set<String> namespaces = properties.namespaces().stream()
                .map(String::strip)
                .filter(namespace -> !namespace.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
        // What cannot be is reported with all other mistakes, before the host starts.
        int pageSize = properties.informers().pageSize();
        InformerOptions options = new InformerOptions(
                namespaces,
                properties.informers().dropManagedFields(),
                pageSize < 1 ? InformerOptions.DEFAULTS.pageSize() : pageSize,
                properties.informers().watchListFirst(),
                properties.dryRun() || properties.informers().readOwnWrites(),
                properties.informers().detectMutations());
        return new InformerFactory(connection, clock, timer, options);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    EventBroadcaster kubernetesEventBroadcaster(
            ApiConnection connection,
            Clock clock,
            ControllerManagerProperties properties,
            ObjectProvider<MeterRegistry> meters) {
        ControllerManagerProperties.Events events = properties.events();
        // What cannot be is reported with all other mistakes, before the host starts.
        EventLimits limits = events.burst() < 1 || !(events.eachSecond() > 0) || Double.isInfinite(events.eachSecond())
                ? EventLimits.STANDARD
                : new EventLimits(events.burst(), events.eachSecond());
        return new EventBroadcaster(
                connection.eventClient(), clock, identity, limits, meters.getIfAvailable(CompositeMeterRegistry::new));
    }

    @Bean
    @ConditionalOnMissingBean
    ProcessExit controllerManagerProcessExit(ApplicationContext context) {
        // On a thread of its own: the context's close waits for the thread that asks.
        return code -> new Thread(
                        () -> System.exit(SpringApplication.exit(context, () -> code)), "controller-manager-exit")
                .start();
    }

    @Bean
    HostFactory controllerManagerHostFactory(
            ControllerManagerProperties properties,
            ApiConnection connection,
            InformerFactory informers,
            EventBroadcaster events,
            Clock clock,
            SystemTimer timer,
            ObjectProvider<MeterRegistry> meters,
            ObjectProvider<ObservationRegistry> observations,
            Environment environment,
            ProcessExit exit) {
        String podUid = properties.leaderElection().podUid();
        return new HostFactory(
                properties,
                podUid == null || podUid.isBlank() ? identity : PodIdentity.ofPod(podUid),
                connection,
                informers,
                events,
                clock,
                timer,
                meters.getIfAvailable(CompositeMeterRegistry::new),
                observations.getIfAvailable(() -> ObservationRegistry.NOOP),
                Objects.requireNonNullElseGet(
                        properties.virtualThreads(), () -> Threading.VIRTUAL.isActive(environment)),
                exit);
    }

    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    ControllerManagerHost controllerManagerHost(
            ApplicationContext context,
            Environment environment,
            ControllerManagerProperties properties,
            ConfigurationErrors errors,
            ApiConnection connection,
            ApiAccessSource access,
            HostFactory factory,
            ObjectProvider<ClientJavaInformerFactory> clientJava) {
        // Beside a factory that the application brings, which keeps its informers to itself.
        ClientJavaInformerFactory informers =
                clientJava.getIfAvailable(() -> new ClientJavaInformerFactory(factory.informerFactory(), connection));
        List<ControllerRegistration> registrations = new ControllerDiscovery(
                        context,
                        informers,
                        new ConfigurationReader(environment, properties, errors, propertyClasses(context)))
                .discover();
        return new ControllerManagerHost(
                registrations,
                connection,
                access::find,
                new LeaseClaims(context),
                found -> factory.create(registrations, found),
                factory.properties().informers().disconnectTimeout(),
                factory.properties().informers().readyWithoutRights());
    }

    /** Those of other modules too, such as of webhooks. */
    private static List<Class<?>> propertyClasses(ApplicationContext context) {
        return Arrays.stream(context.getBeanNamesForAnnotation(ConfigurationProperties.class))
                .<Class<?>>mapMulti((name, classes) -> {
                    Class<?> type = context.getType(name, false);
                    if (type != null) {
                        classes.accept(type);
                    }
                })
                .toList();
    }
}
