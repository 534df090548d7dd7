package io.controllermanager.informer;

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
import java.util.function.UnaryOperator;
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

    private final ListerWatcher<T, ? extends KubernetesListObject> caller;
    private final UnaryOperator<T> finish;
    private final String target;
    private volatile @Nullable Watchable<T> current;

    CallerListWatch(ListerWatcher<T, ? extends KubernetesListObject> caller, UnaryOperator<T> finish, String target) {
        this.caller = caller;
        this.finish = finish;
        this.target = target;
    }

    @Override
    public String target() {
        return target;
    }

    /** By the class, which is all that is known. */
    @Override
    public Permission permission(String verb) {
        return new Permission(verb, target, null);
    }

    @Override
    @SuppressWarnings("unchecked") // the list's items are of the class that the caller declares
    public Listing<T> list(String resourceVersion) throws ApiException {
        KubernetesListObject list = caller.list(new CallGeneratorParams(false, resourceVersion, null));
        List<T> items = new ArrayList<>();
        for (KubernetesObject item : list.getItems()) {
            items.add(finish.apply((T) item));
        }
        String version = list.getMetadata() == null ? null : list.getMetadata().getResourceVersion();
        return new Listing<>(items, version == null ? "" : version, 0);
    }

    @Override
    public boolean triesWatchList(boolean first) {
        return false;
    }

    @Override
    public WatchStream<T> watchList(String resourceVersion, int timeoutSeconds) {
        throw new UnsupportedOperationException(
                "a caller's own ListerWatcher cannot be told to send the initial state");
    }

    @Override
    public WatchStream<T> watch(String resourceVersion, int timeoutSeconds) throws ApiException {
        Watchable<T> watch = caller.watch(new CallGeneratorParams(true, resourceVersion, timeoutSeconds));
        current = watch;
        return new Stream(watch);
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

    private final class Stream implements WatchStream<T> {

        private final Watchable<T> watch;

        Stream(Watchable<T> watch) {
            this.watch = watch;
        }

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
                case "ADDED" -> new WatchEvent.Changed<>(finish.apply(response.object), true);
                case "MODIFIED" -> new WatchEvent.Changed<>(finish.apply(response.object), false);
                case "DELETED" -> new WatchEvent.Removed<>(finish.apply(response.object));
                case "BOOKMARK" ->
                    new WatchEvent.Bookmark<>(
                            String.valueOf(response.object.getMetadata().getResourceVersion()), false);
                case "ERROR" -> WatchEvent.Failed.of(response.status);
                default -> throw new GarbledStreamException("an event of unknown type " + response.type, null);
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
    }
}
