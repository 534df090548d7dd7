package io.controllermanager.spring.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.core.env.PropertyResolver;
import org.springframework.util.unit.DataSize;

/** Everything below {@code controller-manager}. */
@ConfigurationProperties(ControllerManagerProperties.PREFIX)
public class ControllerManagerProperties {

    /** What all names begin with. */
    public static final String PREFIX = "controller-manager";

    /** Whether to host controllers. */
    private boolean enabled = true;

    /** Controllers to run: "*" for all that are on by default, "foo" for that one, "-foo" for not that one. Unless set, "*". */
    private List<String> controllers = new ArrayList<>(List.of("*"));

    /** Namespaces to watch. Unless set, all. */
    private List<String> namespaces = new ArrayList<>();

    /** Kubeconfig file with the API server's address and the credentials. Unless set, the first of these that exists: a bean of type ApiClient of the application, the files in the environment variable KUBECONFIG, the service account of the pod, ~/.kube/config. */
    private @Nullable String kubeconfig;

    /** URL of the API server. Overrides the URL in the kubeconfig. */
    private @Nullable String master;

    /** How long running reconciles may take to end when the process stops. After that they are interrupted. */
    private Duration shutdownTimeout = Duration.ofSeconds(30);

    /** How long a controller's caches may take to sync before the process competes for leadership without it. Until they are synced, the controller is not ready and keeps trying. Unless set, what the controller was built with (2m by default). */
    private @Nullable Duration cacheSyncTimeout;

    /** Whether workers are virtual threads. Needs Java 21 or later. Unless set, the value of spring.threads.virtual.enabled, if the JVM has virtual threads. */
    private @Nullable Boolean virtualThreads;

    /** Which of several replicas works. */
    @NestedConfigurationProperty
    private final LeaderElectionProperties leaderElection = new LeaderElectionProperties();

    /** How requests are sent to the API server. */
    private final Client client = new Client();

    /** The local copies of the API server's objects. */
    @NestedConfigurationProperty
    private final InformerProperties informers = new InformerProperties();

    /** The annotations by which operators act on single objects. */
    private final Annotations annotations = new Annotations();

    /** How many Events are written. */
    private final Events events = new Events();

    /** Whether to change nothing: the process prints what it would change, and ends. */
    private boolean dryRun;

    /** What is shown over HTTP. */
    private final Endpoints endpoints = new Endpoints();

    private final Page page = new Page();

    private final Explain explain = new Explain();

    /** Settings of one controller, by its name. See the settings of each controller. */
    private final Map<String, ControllerProperties> controller = new LinkedHashMap<>();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public List<String> getControllers() {
        return controllers;
    }

    public void setControllers(List<String> controllers) {
        this.controllers = controllers;
    }

    public List<String> getNamespaces() {
        return namespaces;
    }

    public void setNamespaces(List<String> namespaces) {
        this.namespaces = namespaces;
    }

    public @Nullable String getKubeconfig() {
        return kubeconfig;
    }

    public void setKubeconfig(@Nullable String kubeconfig) {
        this.kubeconfig = kubeconfig;
    }

    public @Nullable String getMaster() {
        return master;
    }

    public void setMaster(@Nullable String master) {
        this.master = master;
    }

    public Duration getShutdownTimeout() {
        return shutdownTimeout;
    }

    public void setShutdownTimeout(Duration shutdownTimeout) {
        this.shutdownTimeout = shutdownTimeout;
    }

    public @Nullable Duration getCacheSyncTimeout() {
        return cacheSyncTimeout;
    }

    public void setCacheSyncTimeout(@Nullable Duration cacheSyncTimeout) {
        this.cacheSyncTimeout = cacheSyncTimeout;
    }

    public @Nullable Boolean getVirtualThreads() {
        return virtualThreads;
    }

    public void setVirtualThreads(@Nullable Boolean virtualThreads) {
        this.virtualThreads = virtualThreads;
    }

    public LeaderElectionProperties getLeaderElection() {
        return leaderElection;
    }

    public Client getClient() {
        return client;
    }

    public InformerProperties getInformers() {
        return informers;
    }

    public Annotations getAnnotations() {
        return annotations;
    }

    public Events getEvents() {
        return events;
    }

    public Page getPage() {
        return page;
    }

    public Explain getExplain() {
        return explain;
    }

    public boolean isDryRun() {
        return dryRun;
    }

    public void setDryRun(boolean dryRun) {
        this.dryRun = dryRun;
    }

    public Endpoints getEndpoints() {
        return endpoints;
    }

    public Map<String, ControllerProperties> getController() {
        return controller;
    }

    /** How requests are sent to the API server. */
    public static class Client {

        /** Maximum number of requests a second to the API server. Watches and leader election do not count. If negative, there is no limit, and the API server's priority and fairness decides. */
        private double qps = -1;

        /** How many requests may be sent at once before the limit of requests a second applies. Has no effect without that limit. */
        private int burst = 30;

        public double getQps() {
            return qps;
        }

        public void setQps(double qps) {
            this.qps = qps;
        }

        public int getBurst() {
            return burst;
        }

        public void setBurst(int burst) {
            this.burst = burst;
        }
    }

    /** The annotations by which operators act on single objects. */
    public static class Annotations {

        /** Name of the annotation that pauses an object. Its value is "true", "including-deletion" or names of controllers. */
        private String paused = "controller-manager.io/paused";

        /** Name of the annotation of which each change has the object reconciled at once. */
        private String reconcileAt = "controller-manager.io/reconcile-at";

        /** Whether the annotation of Cluster API, cluster.x-k8s.io/paused, pauses an object too. As there, any value of it does, and what is being deleted waits as well. */
        private boolean clusterApi;

        public String getPaused() {
            return paused;
        }

        public void setPaused(String paused) {
            this.paused = paused;
        }

        public String getReconcileAt() {
            return reconcileAt;
        }

        public void setReconcileAt(String reconcileAt) {
            this.reconcileAt = reconcileAt;
        }

        public boolean isClusterApi() {
            return clusterApi;
        }

        public void setClusterApi(boolean clusterApi) {
            this.clusterApi = clusterApi;
        }
    }

    /** How many Events are written. */
    public static class Events {

        /** How many different Events a controller may write about one object at once. Repetitions do not count. */
        private int burst = 25;

        /** How many different Events a second a controller may write about one object after the burst. Unless set, one every five minutes. */
        private double qps = 1.0 / 300;

        public int getBurst() {
            return burst;
        }

        public void setBurst(int burst) {
            this.burst = burst;
        }

        public double getQps() {
            return qps;
        }

        public void setQps(double qps) {
            this.qps = qps;
        }
    }

    /** What is shown over HTTP. */
    public static class Endpoints {

        /** Who may use the actuator's endpoints. */
        @NestedConfigurationProperty
        private final AuthenticationProperties authentication = new AuthenticationProperties();

        public AuthenticationProperties getAuthentication() {
            return authentication;
        }
    }

    /** Whether controllers are hosted at all, for whoever asks before properties are bound. */
    public static boolean isEnabled(PropertyResolver environment) {
        String value = environment.getProperty(PREFIX + ".enabled", "true").strip();
        return !Set.of("false", "off", "no", "0").contains(value.toLowerCase(Locale.ROOT));
    }

    /** What is remembered of reconciles. */
    public static class Explain {

        /** How much memory the last reconciles of all keys take at most. 0 remembers none. */
        private DataSize memory = DataSize.ofMegabytes(8);

        /**
         * Types, such as deployments.apps, of whose fields the values are shown beside the paths. Those of Secrets are not, whatever is
         * set.
         */
        private List<String> valuesOf = new ArrayList<>();

        public List<String> getValuesOf() {
            return valuesOf;
        }

        public void setValuesOf(List<String> valuesOf) {
            this.valuesOf = valuesOf;
        }

        public DataSize getMemory() {
            return memory;
        }

        public void setMemory(DataSize memory) {
            this.memory = memory;
        }
    }

    /** The page in a browser. */
    public static class Page {

        /** Path of the page, such as "/" or "/controllers". The page needs controller-manager-page-spring-boot-starter. */
        private String path = "/controller-manager";

        public String getPath() {
            return path;
        }

        public void setPath(String path) {
            this.path = path;
        }

        /** Whether a text can be a page's path. */
        public static boolean isPath(String text) {
            return text.matches("/|(/[A-Za-z0-9._~-]+)+");
        }
    }
}
