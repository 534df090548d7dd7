package io.controllermanager.clientjava.internal;

import io.controllermanager.client.ApiStatus;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.informer.internal.reflector.ListWatch;
import io.controllermanager.informer.internal.reflector.WatchEvent;
import io.controllermanager.informer.internal.reflector.WatchStream;
import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Watchable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lists and watches as a caller's own {@link ListerWatcher} does: plainly, since its parameters carry neither paging nor
 * bookmarks.
 *
 * @param <T> the object's class
 */
final class CallerListWatch<T extends KubernetesObject> implements ListWatch<T> {

    /**
     * Longer than the longest watch: without bookmarks a healthy watch may say nothing to its end. Pings find a dead
     * connection sooner, if it is one of the host's client and HTTP/2.
     */
    private static final Duration IDLE_LIMIT = Duration.ofMinutes(11);

    /** In the API server's words; the Status has no field for it. */
    private static final Pattern NAMESPACE = Pattern.compile("in the namespace \"([^\"]+)\"");

    private final ListerWatcher<T, ? extends KubernetesListObject> caller;
    private final UnaryOperator<T> transform;
    private final String target;
    private final boolean isKnown;
    private volatile @Nullable Watchable<T> current;

    /** To list, as far as it is known what; of a resource that is not known the class stands for it. */
    private volatile Permission permission;

    /**
     * Lists and watches.
     *
     * @param transform what is done to each object before it is handed on
     * @param target what is listed, for messages
     * @param known the right to list it; null if only the caller knows what it is
     */
    CallerListWatch(
            ListerWatcher<T, ? extends KubernetesListObject> caller,
            UnaryOperator<T> transform,
            String target,
            @Nullable Permission known) {
        this.caller = caller;
        this.transform = transform;
        this.target = target;
        this.permission = known == null ? new Permission("list", target, null) : known;
        this.isKnown = known != null;
    }

    @Override
    public String target() {
        return target;
    }

    /** By what is known of the request, else by what the API server said when it refused one, else by the class. */
    @Override
    public Permission permission(String verb) {
        Permission listed = permission;
        return new Permission(verb, listed.resource(), listed.namespace());
    }

    private ApiException refused(ApiException e) {
        if (!isKnown && e.getCode() == 403) {
            permission = Objects.requireNonNullElse(refusedPermission(e), permission);
        }
        return e;
    }

    private static @Nullable Permission refusedPermission(ApiException e) {
        ApiStatus status = ApiStatus.of(e);
        String plural = status.details().getKind();
        String group = status.details().getGroup();
        if (plural == null) {
            return null;
        }
        Matcher namespace = NAMESPACE.matcher(status.message());
        return new Permission(
                "list",
                group == null || group.isEmpty() ? plural : plural + "." + group,
                namespace.find() ? namespace.group(1) : null);
    }

    @Override
    @SuppressWarnings("unchecked") // the list's items are of the class that the caller declares
    public Listing<T> list(String resourceVersion, Predicate<? super T> kept) throws ApiException {
        KubernetesListObject list;
        try {
            list = caller.list(new CallGeneratorParams(false, resourceVersion, null));
        } catch (ApiException e) {
            throw refused(e);
        }
        List<T> items = new ArrayList<>();
        for (KubernetesObject item : list.getItems()) {
            T object = transform.apply((T) item);
            if (kept.test(object)) {
                items.add(object);
            }
        }
        String version = list.getMetadata() == null ? null : list.getMetadata().getResourceVersion();
        return new Listing<>(items, version == null ? "" : version, 0);
    }

    @Override
    public WatchStream<T> watch(String resourceVersion, int timeoutSeconds) throws ApiException {
        Watchable<T> watch;
        try {
            watch = caller.watch(new CallGeneratorParams(true, resourceVersion, timeoutSeconds));
        } catch (ApiException e) {
            throw refused(e);
        }
        current = watch;
        return new WatchStream<>() {
            @Override
            public @Nullable WatchEvent<T> next() throws IOException {
                Watch.Response<T> response;
                try {
                    if (!watch.hasNext()) {
                        return null;
                    }
                    response = watch.next();
                } catch (RuntimeException e) {
                    throw e.getCause() instanceof IOException io ? io : new IOException(e.getMessage(), e);
                }
                return switch (response.type) {
                    case "BOOKMARK" ->
                        new WatchEvent.Bookmark<>(
                                String.valueOf(response.object.getMetadata().getResourceVersion()), false);
                    case "ERROR" -> WatchEvent.Failed.of(response.status);
                    default -> WatchEvent.of(response.type, transform.apply(response.object));
                };
            }

            @Override
            public Duration idleLimit() {
                return IDLE_LIMIT;
            }

            @Override
            public void close() {
                CallerListWatch.close(watch);
            }
        };
    }

    @Override
    public void cancel() {
        Watchable<T> watch = current;
        if (watch != null) {
            close(watch);
        }
    }

    private static void close(Watchable<?> watch) {
        try {
            watch.close();
        } catch (IOException e) {
            // Nobody reads from it any more.
        }
    }
}
