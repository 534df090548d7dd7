package io.controllermanager.apiserver;

import static com.google.common.base.Preconditions.checkArgument;
import static com.google.common.base.Preconditions.checkState;

import io.controllermanager.apiserver.access.User;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Settings of a server to be started. */
public final class ApiServerBuilder {

    int port;
    long seed;
    int history = 100_000;
    boolean world;
    boolean tls;
    boolean authorization;
    boolean shardedListAndWatch;
    User user = User.ADMINISTRATOR;
    Duration bookmarkInterval = Duration.ofSeconds(10);
    InstantSource clock = InstantSource.system();
    final List<String> manifests = new ArrayList<>();

    ApiServerBuilder() {}

    /**
     * Where to listen.
     *
     * @param number 0, the default, for any port that is free
     */
    public ApiServerBuilder port(int number) {
        checkArgument(number >= 0 && number <= 65_535, "A port lies between 0 and 65535, but is %s", number);
        port = number;
        return this;
    }

    /** Decides uids, generated names and the chances of faults. */
    public ApiServerBuilder seed(long value) {
        seed = value;
        return this;
    }

    /** How many changes of each resource are kept at least (by default 100,000); older ones are compacted. */
    public ApiServerBuilder history(int changes) {
        checkArgument(changes >= 1, "At least one change is kept, but history is %s", changes);
        history = changes;
        return this;
    }

    /** Whether there is a {@linkplain ApiServer#world() world} where workloads become what they would on a cluster. */
    public ApiServerBuilder world(boolean on) {
        world = on;
        return this;
    }

    /**
     * How often a watch gets a bookmark, if it takes any; by default every 10 seconds, where the real server sends one a minute:
     * an informer takes silence over HTTP/1.1 for a dead connection. One more comes two seconds before the watch's end.
     */
    public ApiServerBuilder bookmarkInterval(Duration interval) {
        boolean positive = !interval.isNegative() && !interval.isZero();
        checkArgument(positive, "Bookmarks need an interval above 0, but it is %s", interval);
        bookmarkInterval = interval;
        return this;
    }

    /** What timestamps are taken from, and the ages in tables. */
    public ApiServerBuilder clock(InstantSource source) {
        clock = Objects.requireNonNull(source, "clock");
        return this;
    }

    /**
     * Whether it listens with TLS, as a real API server does, and so speaks HTTP/2 too. It makes itself a certificate, which
     * what leads to it, such as {@link ApiServer#client()}, trusts.
     */
    public ApiServerBuilder tls(boolean on) {
        tls = on;
        return this;
    }

    /**
     * Whether RBAC's rules decide who may do what, as on a real API server: who shows no credentials is {@code
     * system:anonymous}, and who has no right to something gets 403. By default everyone may do everything.
     */
    public ApiServerBuilder authorization(boolean on) {
        authorization = on;
        return this;
    }

    /**
     * Whether lists and watches take a {@code shardSelector} (KEP-5866), as on a real API server with the feature gate
     * {@code ShardedListAndWatch}. By default they ignore it, as Kubernetes 1.36 does: the answer is the whole list.
     */
    public ApiServerBuilder shardedListAndWatch(boolean on) {
        shardedListAndWatch = on;
        return this;
    }

    /**
     * For whom {@link ApiServer#kubeconfig()} is, which the application under test connects by; needs {@link
     * #authorization}. By default an administrator, as whom the test's own {@link ApiServer#client()} always comes.
     *
     * @param name as for {@link ApiServer#kubeconfigFor}
     */
    public ApiServerBuilder user(String name, String... groups) {
        user = User.of(name, groups);
        return this;
    }

    /**
     * What is there from the start, such as CRDs, Namespaces and Roles; see {@link ApiServer#apply}.
     *
     * @param locations come after those named before
     */
    public ApiServerBuilder manifests(String... locations) {
        manifests.addAll(List.of(locations));
        return this;
    }

    /**
     * Starts the server, on return of which it answers.
     *
     * @throws IllegalArgumentException if a manifest is not there or is refused
     * @throws IllegalStateException if there is a user, but no authorization
     */
    public ApiServer start() {
        boolean isLimited = authorization || user.equals(User.ADMINISTRATOR);
        checkState(isLimited, "authorization is off, so that %s could do everything: switch it on", user.name());
        return new ApiServer(this);
    }
}
