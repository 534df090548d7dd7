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
import org.springframework.core.env.PropertyResolver;

/** Everything below {@code controller-manager}. */
@ConfigurationProperties(ControllerManagerProperties.PREFIX)
public class ControllerManagerProperties {

    /** What all names begin with. */
    public static final String PREFIX = "controller-manager";

    /** Whether controllers are hosted at all. */
    private boolean enabled = true;

    /** Which controllers run: "*" for all that are on by default, "foo" for that one, "-foo" for not that one. "*" unless set. */
    private List<String> controllers = new ArrayList<>(List.of("*"));

    /** The namespaces whose objects are watched; none for all. */
    private List<String> namespaces = new ArrayList<>();

    /** The kubeconfig file that says where the API server is and who we are. Unless set: the files named by the environment variable KUBECONFIG, the service account of the pod, ~/.kube/config. */
    private @Nullable String kubeconfig;

    /** The URL of the API server, instead of the one in the kubeconfig. */
    private @Nullable String master;

    /** How long running reconciles may take to end when the process stops, before they are interrupted. */
    private Duration shutdownTimeout = Duration.ofSeconds(30);

    /** How long a controller's caches may take to sync before the others compete for leadership without it. It is not ready until they are synced, and goes on trying. Unless set, what the controller was built with (2m by default). */
    private @Nullable Duration cacheSyncTimeout;

    /** Whether workers are virtual threads, which needs Java 21 or later. Unless set, as spring.threads.virtual.enabled says, where the JVM has them. */
    private @Nullable Boolean virtualThreads;

    /** Which of several replicas works. */
    private final LeaderElection leaderElection = new LeaderElection();

    /** How requests are sent to the API server. */
    private final Client client = new Client();

    /** The local copies of the API server's objects. */
    private final Informers informers = new Informers();

    /** How many Events are written. */
    private final Events events = new Events();

    /** What is shown over HTTP. */
    private final Endpoints endpoints = new Endpoints();

    private final Page page = new Page();

    /** Settings of one controller, by its name; see the settings of each controller. */
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

    public LeaderElection getLeaderElection() {
        return leaderElection;
    }

    public Client getClient() {
        return client;
    }

    public Informers getInformers() {
        return informers;
    }

    public Events getEvents() {
        return events;
    }

    public Page getPage() {
        return page;
    }

    public Endpoints getEndpoints() {
        return endpoints;
    }

    public Map<String, ControllerProperties> getController() {
        return controller;
    }

    /** Which of several replicas works. */
    public static class LeaderElection {

        /** Whether replicas compete for a Lease, so that one of them works; if not, this process always works. */
        private boolean enabled = true;

        /** How long others wait, from the last renewal that they saw, before they take the Lease of a leader that went silent. Longer than the renew deadline. */
        private Duration leaseDuration = Duration.ofSeconds(15);

        /** How long the leader goes on working without a successful renewal. Longer than 1.2 times the retry period. */
        private Duration renewDeadline = Duration.ofSeconds(10);

        /** How long to wait between two attempts to take or renew the Lease. */
        private Duration retryPeriod = Duration.ofSeconds(2);

        /** The name of the Lease. Unless set, spring.application.name as Kubernetes allows it, where that is set. */
        private String resourceName = "controller-manager";

        /** Whether each controller has a Lease of its own, named after the resource name, a dash and the controller, so that replicas share the controllers among them. All replicas must say the same: one that says otherwise works beside the others. */
        private boolean leasePerController;

        /** The namespace of the Lease. Unless set, that of the pod, outside a cluster that of the kubeconfig's context, else "default". */
        private @Nullable String resourceNamespace;

        /** The uid of the pod that this process runs in, if it is the only one in the pod that competes. A container that is restarted then takes the Lease of its predecessor at once. The chart sets it. */
        private @Nullable String podUid;

        /** Whether the Lease is given up once the workers have stopped, so that another replica takes over at once. */
        private boolean releaseOnStop = true;

        /** What to do when leadership is lost: stand by and compete again, or exit with code 2. */
        private OnLoss onLoss = OnLoss.STANDBY;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getLeaseDuration() {
            return leaseDuration;
        }

        public void setLeaseDuration(Duration leaseDuration) {
            this.leaseDuration = leaseDuration;
        }

        public Duration getRenewDeadline() {
            return renewDeadline;
        }

        public void setRenewDeadline(Duration renewDeadline) {
            this.renewDeadline = renewDeadline;
        }

        public Duration getRetryPeriod() {
            return retryPeriod;
        }

        public void setRetryPeriod(Duration retryPeriod) {
            this.retryPeriod = retryPeriod;
        }

        public String getResourceName() {
            return resourceName;
        }

        public void setResourceName(String resourceName) {
            this.resourceName = resourceName;
        }

        public boolean isLeasePerController() {
            return leasePerController;
        }

        public void setLeasePerController(boolean leasePerController) {
            this.leasePerController = leasePerController;
        }

        public @Nullable String getResourceNamespace() {
            return resourceNamespace;
        }

        public void setResourceNamespace(@Nullable String resourceNamespace) {
            this.resourceNamespace = resourceNamespace;
        }

        public @Nullable String getPodUid() {
            return podUid;
        }

        public void setPodUid(@Nullable String podUid) {
            this.podUid = podUid;
        }

        public boolean isReleaseOnStop() {
            return releaseOnStop;
        }

        public void setReleaseOnStop(boolean releaseOnStop) {
            this.releaseOnStop = releaseOnStop;
        }

        public OnLoss getOnLoss() {
            return onLoss;
        }

        public void setOnLoss(OnLoss onLoss) {
            this.onLoss = onLoss;
        }

        /** What to do when leadership is lost. */
        public enum OnLoss {
            /** Stop working, keep the caches warm and compete again. */
            STANDBY,
            /** End the process with exit code 2. */
            EXIT
        }
    }

    /** How requests are sent to the API server. */
    public static class Client {

        /** Requests a second that this process sends at most, watches and leader election excepted; negative for no limit, which leaves it to the API server's priority and fairness. */
        private double qps = -1;

        /** How many requests may be sent at once before the limit of requests a second holds; without meaning where there is none. */
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

    /** How many Events are written. */
    public static class Events {

        /** How many different Events a controller may write about one object at once; repetitions are counted and cost nothing. */
        private int burst = 25;

        /** How many more different Events a second a controller may write about one object when the burst is used up; unless set, one every five minutes. */
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

    /** The local copies of the API server's objects. */
    public static class Informers {

        /** After how long without an open watch an informer makes this process unready; 0 for never. */
        private Duration disconnectTimeout = Duration.ofMinutes(2);

        /** Whether caches are filled by WatchList at the start as well, where the API server has it: the most recent state and less memory in the API server, but slower. */
        private boolean watchListFirst;

        /** Whether those who read from informers see what this process has written at once, before the watch brings it. */
        private boolean readOwnWrites = true;

        /** Whether to look out for objects of the caches that somebody changes, report them and count them: for development, since it takes as much memory again. */
        private boolean detectMutations;

        /** How many objects one page of a list holds; the API server ignores it when it answers from its watch cache. */
        private int pageSize = 500;

        /** Whether metadata.managedFields is dropped before an object is kept: few controllers read it, and it is often half of the object. */
        private boolean dropManagedFields = true;

        public Duration getDisconnectTimeout() {
            return disconnectTimeout;
        }

        public void setDisconnectTimeout(Duration disconnectTimeout) {
            this.disconnectTimeout = disconnectTimeout;
        }

        public boolean isWatchListFirst() {
            return watchListFirst;
        }

        public void setWatchListFirst(boolean watchListFirst) {
            this.watchListFirst = watchListFirst;
        }

        public boolean isDetectMutations() {
            return detectMutations;
        }

        public void setDetectMutations(boolean detectMutations) {
            this.detectMutations = detectMutations;
        }

        public int getPageSize() {
            return pageSize;
        }

        public void setPageSize(int pageSize) {
            this.pageSize = pageSize;
        }

        public boolean isDropManagedFields() {
            return dropManagedFields;
        }

        public void setDropManagedFields(boolean dropManagedFields) {
            this.dropManagedFields = dropManagedFields;
        }

        public boolean isReadOwnWrites() {
            return readOwnWrites;
        }

        public void setReadOwnWrites(boolean readOwnWrites) {
            this.readOwnWrites = readOwnWrites;
        }
    }

    /** What is shown over HTTP. */
    public static class Endpoints {

        /** Who may use the actuator's endpoints. */
        private final Authentication authentication = new Authentication();

        public Authentication getAuthentication() {
            return authentication;
        }
    }

    /** Who may use the actuator's endpoints. */
    public static class Authentication {

        /** Whether the actuator's endpoints, the probes' excepted, ask for a bearer token, which the API server checks by TokenReview, and whose owner it must allow the path and the verb, by SubjectAccessReview. This process needs the ClusterRole system:auth-delegator for that. */
        private boolean enabled;

        /** The audiences that a token must be for, one of them at least; none for that of the API server. */
        private List<String> audiences = new ArrayList<>();

        /** How long what the API server said of a token holds; 0 to ask each time. */
        private Duration cacheTtl = Duration.ofMinutes(1);

        /** How long a permission that the API server confirmed holds; 0 to ask each time. */
        private Duration allowedCacheTtl = Duration.ofMinutes(5);

        /** How long a permission that the API server denied stays denied; 0 to ask each time. */
        private Duration deniedCacheTtl = Duration.ofSeconds(30);

        /** How long the API server may take for an answer before the request ends with status 503. */
        private Duration timeout = Duration.ofSeconds(3);

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public List<String> getAudiences() {
            return audiences;
        }

        public void setAudiences(List<String> audiences) {
            this.audiences = audiences;
        }

        public Duration getCacheTtl() {
            return cacheTtl;
        }

        public void setCacheTtl(Duration cacheTtl) {
            this.cacheTtl = cacheTtl;
        }

        public Duration getAllowedCacheTtl() {
            return allowedCacheTtl;
        }

        public void setAllowedCacheTtl(Duration allowedCacheTtl) {
            this.allowedCacheTtl = allowedCacheTtl;
        }

        public Duration getDeniedCacheTtl() {
            return deniedCacheTtl;
        }

        public void setDeniedCacheTtl(Duration deniedCacheTtl) {
            this.deniedCacheTtl = deniedCacheTtl;
        }

        public Duration getTimeout() {
            return timeout;
        }

        public void setTimeout(Duration timeout) {
            this.timeout = timeout;
        }
    }

    /** Whether controllers are hosted at all, for whoever asks before properties are bound. */
    public static boolean isEnabled(PropertyResolver environment) {
        return !Set.of("false", "off", "no", "0")
                .contains(environment
                        .getProperty(PREFIX + ".enabled", "true")
                        .strip()
                        .toLowerCase(Locale.ROOT));
    }

    /** The page in a browser. */
    public static class Page {

        /** The path of the page: "/", or one such as "/controllers". Without controller-manager-page-spring-boot-starter there is none. */
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
