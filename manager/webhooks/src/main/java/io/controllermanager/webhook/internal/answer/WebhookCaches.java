package io.controllermanager.webhook.internal.answer;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.informer.Selection;
import io.controllermanager.informer.internal.HostInformer;
import io.controllermanager.informer.internal.InformerFactory;
import io.controllermanager.reconciler.Index;
import io.controllermanager.webhook.WebhookDescription;
import io.controllermanager.webhook.WebhookDescription.IndexedSelection;
import io.kubernetes.client.common.KubernetesObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The caches that one webhook reads, which it shares with controllers. They begin to fill once webhooks are served. Safe for use
 * by several threads.
 */
public final class WebhookCaches {

    private final String webhook;
    private final WebhookDescription description;
    private final Map<Selection<?>, HostInformer<?>> informers = new ConcurrentHashMap<>();

    /** Stays so when the host ends its watches: what is asked until nobody comes any more is answered by what was there. */
    private volatile boolean filled;

    /**
     * Those that a webhook names.
     *
     * @param webhook its name, for messages and the names of its indexes
     */
    public WebhookCaches(String webhook, WebhookDescription description) {
        this.webhook = webhook;
        this.description = description;
    }

    /** Follows the informers, and starts those that do not run. */
    public void start(InformerFactory factory) {
        description.selections().forEach(selection -> informers.computeIfAbsent(selection, factory::informer));
        description.indexes().forEach(this::index);
        informers.values().forEach(HostInformer::run);
    }

    /** Gives the informers back. */
    public void stop(InformerFactory factory) {
        filled = false;
        informers.values().forEach(factory::release);
        informers.clear();
    }

    @SuppressWarnings("unchecked") // An informer has the class of its selection.
    private <R extends KubernetesObject> void index(IndexedSelection<R> indexed) {
        HostInformer<R> informer = (HostInformer<R>) informers.get(indexed.selection());
        if (informer != null && !informer.getIndexer().getIndexers().containsKey(key(indexed.index()))) {
            informer.addIndexers(Map.of(key(indexed.index()), indexed.index().values()));
        }
    }

    /** What is not filled yet; null if nothing is missing. */
    public @Nullable String missing() {
        if (filled) {
            return null;
        }
        String missing = description.selections().stream()
                .filter(selection -> {
                    HostInformer<?> informer = informers.get(selection);
                    return informer == null || !informer.hasSynced();
                })
                .findFirst()
                .map(selection -> "the cache of " + selection + " has not synced")
                .orElse(null);
        filled = missing == null;
        return missing;
    }

    /**
     * Makes sure that reads show all there is.
     *
     * @throws IllegalStateException if a cache is not filled yet
     */
    void checkFilled() {
        String missing = missing();
        if (missing != null) {
            throw new IllegalStateException(missing + "; try again");
        }
    }

    @SuppressWarnings("unchecked") // An informer has the class of its selection.
    <R extends KubernetesObject> @Nullable R find(Selection<R> selection, @Nullable String namespace, String name) {
        HostInformer<R> informer = (HostInformer<R>) informers.get(selection);
        if (informer == null) {
            throw new IllegalArgumentException(
                    webhook + " does not read " + selection + ": its description must name it to have it read");
        }
        boolean whole = selection.type().scope() == ResourceType.Scope.CLUSTER || name.contains("/");
        return informer.lister().get(whole ? name : Keys.shown(namespace, name));
    }

    @SuppressWarnings("unchecked") // An informer has the class of its selection.
    <R extends KubernetesObject> List<R> find(Index<R> index, String value) {
        for (IndexedSelection<?> indexed : description.indexes()) {
            HostInformer<?> informer = informers.get(indexed.selection());
            if (indexed.index().equals(index) && informer != null) {
                return ((HostInformer<R>) informer).snapshot().byIndex(key(index), value);
            }
        }
        throw new IllegalArgumentException("index \"" + index.name() + "\" is not in the description of " + webhook);
    }

    private String key(Index<?> index) {
        return webhook + "/" + index.name();
    }
}
