package io.controllermanager.spring.config;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.unit.DataSize;

/**
 * Everything below {@code controller-manager}, but for the settings of single controllers, which are bound by their names.
 *
 * @param enabled Whether to host controllers.
 * @param controllers Controllers to run: "*" for all that are on by default, "foo" for that one, "-foo" for not that one.
 *     Unless set, "*".
 * @param namespaces Namespaces to watch. Unless set, all.
 * @param kubeconfig Kubeconfig file with the API server's address and the credentials. Unless set, the first of these that
 *     exists: a bean of type ApiClient of the application, the files in the environment variable KUBECONFIG, the service
 *     account of the pod, ~/.kube/config.
 * @param master URL of the API server. Overrides the URL in the kubeconfig.
 * @param shutdownTimeout How long running reconciles may take to end when the process stops. After that they are interrupted.
 * @param cacheSyncTimeout How long a controller's caches may take to sync before the process competes for leadership without
 *     it. Until they are synced, the controller is not ready and keeps trying. Unless set, what the controller was built with
 *     (2m by default).
 * @param virtualThreads Whether workers are virtual threads. Needs Java 21 or later. Unless set, the value of
 *     spring.threads.virtual.enabled, if the JVM has virtual threads.
 * @param leaderElection Which of several replicas works.
 * @param client How requests are sent to the API server.
 * @param informers The local copies of the API server's objects.
 * @param annotations The annotations by which operators act on single objects.
 * @param events How many Events are written.
 * @param dryRun Whether to change nothing: the process prints what it would change, and ends.
 * @param endpoints What is shown over HTTP.
 * @param page The page in a browser.
 * @param explain What is remembered of reconciles.
 */
@ConfigurationProperties(ControllerManagerProperties.PREFIX)
public record ControllerManagerProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("*") List<String> controllers,
        @DefaultValue List<String> namespaces,
        @Nullable String kubeconfig,
        @Nullable String master,
        @DefaultValue("30s") Duration shutdownTimeout,
        @Nullable Duration cacheSyncTimeout,
        @Nullable Boolean virtualThreads,
        @NestedConfigurationProperty @DefaultValue LeaderElectionProperties leaderElection,
        @DefaultValue Client client,
        @NestedConfigurationProperty @DefaultValue InformerProperties informers,
        @DefaultValue Annotations annotations,
        @DefaultValue Events events,
        boolean dryRun,
        @DefaultValue Endpoints endpoints,
        @DefaultValue Page page,
        @DefaultValue Explain explain) {

    /** What all names begin with. */
    public static final String PREFIX = "controller-manager";

    /** Whether controllers are hosted at all, for whoever asks before properties are bound. */
    public static boolean isEnabled(PropertyResolver environment) {
        String value = environment.getProperty(PREFIX + ".enabled", "true").strip();
        return !Set.of("false", "off", "no", "0").contains(value.toLowerCase(Locale.ROOT));
    }

    /**
     * How requests are sent to the API server.
     *
     * @param qps Maximum number of requests a second to the API server. Watches and leader election do not count. If negative,
     *     there is no limit, and the API server's priority and fairness decides.
     * @param burst How many requests may be sent at once before the limit of requests a second applies. Has no effect without
     *     that limit.
     */
    public record Client(
            @DefaultValue("-1") double qps,
            @DefaultValue("30") int burst) {}

    /**
     * The annotations by which operators act on single objects.
     *
     * @param paused Name of the annotation that pauses an object. Its value is "true", "including-deletion" or names of
     *     controllers.
     * @param reconcileAt Name of the annotation of which each change has the object reconciled at once.
     * @param clusterApi Whether the annotation of Cluster API, cluster.x-k8s.io/paused, pauses an object too. As there, any
     *     value of it does, and what is being deleted waits as well.
     */
    public record Annotations(
            @DefaultValue("controller-manager.io/paused") String paused,

            @DefaultValue("controller-manager.io/reconcile-at")
            String reconcileAt,

            boolean clusterApi) {}

    /**
     * How many Events are written.
     *
     * @param burst How many different Events a controller may write about one object at once. Repetitions do not count.
     * @param qps How many different Events a second a controller may write about one object after the burst. Unless set, one
     *     every five minutes.
     */
    public record Events(
            @DefaultValue("25") int burst, @Nullable Double qps) {

        /** How many different Events a second. */
        public double eachSecond() {
            return qps == null ? 1.0 / 300 : qps;
        }
    }

    /**
     * What is shown over HTTP.
     *
     * @param authentication Who may use the actuator's endpoints.
     */
    public record Endpoints(
            @NestedConfigurationProperty @DefaultValue AuthenticationProperties authentication) {}

    /**
     * What is remembered of reconciles.
     *
     * @param memory How much memory the last reconciles of all keys take at most. 0 remembers none.
     * @param valuesOf Types, such as deployments.apps, of whose fields the values are shown beside the paths. Those of Secrets
     *     are not, whatever is set.
     */
    public record Explain(
            @DefaultValue("8MB") DataSize memory,
            @DefaultValue List<String> valuesOf) {}

    /**
     * The page in a browser.
     *
     * @param path Path of the page, such as "/" or "/controllers". The page needs controller-manager-page-spring-boot-starter.
     */
    public record Page(@DefaultValue("/controller-manager") String path) {

        /** Whether a text can be a page's path. */
        public static boolean isPath(String text) {
            return text.matches("/|(/[A-Za-z0-9._~-]+)+");
        }
    }
}
