package io.controllermanager.informer.internal.reflector;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.internal.connection.RetryAfter;
import io.controllermanager.client.internal.connection.StorageHistory;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.json.BytesJsonReader;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.GarbledStreamException;
import io.controllermanager.client.internal.request.Permission;
import io.controllermanager.client.internal.request.RequestFailedException;
import io.controllermanager.client.internal.request.ResourcePath;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1ListMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/**
 * Lists and watches over HTTP. A list comes in pages (or whole, where the API server answers from its watch cache) and is
 * decoded as a stream, object by object; of a watch, the text of one event is held. An object that does not fit its class
 * is left out and reported; it does not keep the others from being read.
 *
 * <p>Lists are asked for compressed, as client-go does: of 50,000 ConfigMaps that took a third of the processor time from
 * a cold start, and a third from the API server, since both have far fewer bytes to encrypt and to send. Watches are
 * never compressed by the API server, and are not asked to be.
 *
 * @param <T> the object's class
 */
public final class HttpListWatch<T> implements ListWatch<T> {

    private final ApiRequests requests;
    private final ApiDiscovery discovery;
    private final CollectionRequest template;
    private final ObjectReader<T> objects;
    private final String target;
    private final int pageSize;
    private final boolean watchListFirst;
    private volatile @Nullable Call current;
    private volatile @Nullable ResourcePath path;

    /**
     * Lists and watches.
     *
     * @param watchListFirst whether the very first state is asked for by WatchList, too
     */
    public HttpListWatch(
            ApiRequests requests,
            ApiDiscovery discovery,
            CollectionRequest template,
            ObjectReader<T> objects,
            int pageSize,
            boolean watchListFirst) {
        this.requests = requests;
        this.discovery = discovery;
        this.template = template;
        this.objects = objects;
        this.target = objects.target();
        this.pageSize = pageSize;
        this.watchListFirst = watchListFirst;
    }

    @Override
    public String target() {
        return target;
    }

    @Override
    public Permission permission(String verb) {
        ResourcePath known = path;
        return known == null
                ? new Permission(verb, target, null)
                : new Permission(verb, known.type().qualifiedName(), known.namespace());
    }

    @Override
    public Listing<T> list(String resourceVersion, Predicate<? super T> kept) throws ApiException {
        try {
            return list(resourceVersion, pageSize, kept);
        } catch (RequestFailedException e) {
            if (e.getCode() != 410 || !isPaged(resourceVersion)) {
                throw e;
            }
            // The pages took longer than etcd keeps their state: one page then, as client-go's pager does.
            return list(resourceVersion, 0, kept);
        }
    }

    private Listing<T> list(String resourceVersion, int limit, Predicate<? super T> kept) throws ApiException {
        List<T> items = new ArrayList<>();
        int unreadable = 0;
        String token = null;
        String version = "";
        do {
            HttpUrl.Builder url = template.request(false, resourceVersion).url().newBuilder();
            url.removeAllQueryParameters("watch");
            url.removeAllQueryParameters("timeoutSeconds");
            url.removeAllQueryParameters("resourceVersion");
            if (limit > 0 && isPaged(resourceVersion)) {
                url.setQueryParameter("limit", Integer.toString(limit));
            }
            if (token != null) {
                url.setQueryParameter("continue", token);
            } else if (!resourceVersion.isEmpty()) {
                url.setQueryParameter("resourceVersion", resourceVersion);
            }
            Page page = page(url.build(), resourceVersion, items, kept);
            if (page.next != null && page.next.equals(token)) {
                throw ApiRequests.failure(
                        "list " + target, new GarbledStreamException("a page names itself as the next one", null));
            }
            token = page.next;
            version = page.resourceVersion;
            unreadable += page.unreadable;
        } while (token != null);
        return new Listing<>(items, version, unreadable);
    }

    /** With any version given but 0, a limit would keep the API server from using its watch cache. */
    private static boolean isPaged(String resourceVersion) {
        return resourceVersion.isEmpty() || resourceVersion.equals("0");
    }

    private Page page(HttpUrl url, String resourceVersion, List<T> items, Predicate<? super T> kept)
            throws ApiException {
        int before = items.size();
        try {
            return readPage(url, resourceVersion, items, kept, false);
        } catch (RequestFailedException e) {
            if (!(e.getCause() instanceof JsonParseException)) {
                throw e;
            }
            // Some object does not fit its class. Again, in the slow way that can leave out one object.
            items.subList(before, items.size()).clear();
            return readPage(url, resourceVersion, items, kept, true);
        }
    }

    private Page readPage(
            HttpUrl url, String resourceVersion, List<T> items, Predicate<? super T> kept, boolean tolerantly)
            throws ApiException {
        Request request = template.request(false, resourceVersion)
                .newBuilder()
                .url(url)
                .header("Accept", template.accept(false))
                .build();
        Call call = begin(request);
        String what = "list " + target;
        try (Response response = call.execute()) {
            if (!response.isSuccessful()) {
                throw ApiRequests.failure(what, response);
            }
            try (JsonReader reader = BytesJsonReader.of(response.body().byteStream())) {
                return read(reader, items, kept, tolerantly);
            }
        } catch (IOException e) {
            throw ApiRequests.failure(what, e);
        } catch (JsonParseException | IllegalStateException e) {
            throw ApiRequests.failure(
                    what, e instanceof JsonParseException ? e : new JsonParseException(e.getMessage(), e));
        } finally {
            current = null;
        }
    }

    private Page read(JsonReader reader, List<T> items, Predicate<? super T> kept, boolean tolerantly)
            throws IOException {
        Page page = new Page();
        String kind = "";
        String message = "";
        boolean hasItems = false;
        reader.beginObject();
        while (reader.hasNext()) {
            String name = reader.nextName();
            hasItems |= name.equals("items");
            if (name.equals("metadata") && reader.peek() == JsonToken.BEGIN_OBJECT) {
                V1ListMeta metadata = ApiJson.adapter(V1ListMeta.class).read(reader);
                page.resourceVersion = Objects.requireNonNullElse(metadata.getResourceVersion(), "");
                page.next = "".equals(metadata.getContinue()) ? null : metadata.getContinue();
            } else if (name.equals("items") && reader.peek() == JsonToken.BEGIN_ARRAY) {
                reader.beginArray();
                while (reader.hasNext()) {
                    T item = tolerantly ? objects.fit(JsonParser.parseReader(reader)) : objects.read(reader);
                    if (item == null) {
                        page.unreadable++;
                    } else if (kept.test(item)) {
                        items.add(item);
                    }
                }
                reader.endArray();
            } else if (name.equals("kind") && reader.peek() == JsonToken.STRING) {
                kind = reader.nextString();
            } else if (name.equals("message") && reader.peek() == JsonToken.STRING) {
                message = reader.nextString();
            } else {
                reader.skipValue();
            }
        }
        reader.endObject();
        if (!hasItems && !kind.endsWith("List")) {
            throw new GarbledStreamException(
                    "the answer is no list%s%s"
                            .formatted(kind.isEmpty() ? "" : " but a " + kind, message.isEmpty() ? "" : ": " + message),
                    null);
        }
        return page;
    }

    @Override
    public boolean triesWatchList(boolean first) {
        return !first || watchListFirst;
    }

    @Override
    public WatchStream<T> watchList(String resourceVersion, int timeoutSeconds) throws ApiException {
        return open(resourceVersion, timeoutSeconds, true);
    }

    @Override
    public WatchStream<T> watch(String resourceVersion, int timeoutSeconds) throws ApiException {
        return open(resourceVersion, timeoutSeconds, false);
    }

    @Override
    public long presentVersion() throws ApiException {
        return StorageHistory.presentVersion(requests, template.request(false, ""), template.accept(false));
    }

    private WatchStream<T> open(String resourceVersion, int timeoutSeconds, boolean initialState) throws ApiException {
        Request base = template.request(true, resourceVersion);
        HttpUrl.Builder url = base.url()
                .newBuilder()
                .setQueryParameter("watch", "true")
                .setQueryParameter("resourceVersion", resourceVersion)
                .setQueryParameter("allowWatchBookmarks", "true")
                .setQueryParameter("timeoutSeconds", Integer.toString(timeoutSeconds))
                .removeAllQueryParameters("limit");
        if (initialState) {
            url.setQueryParameter("sendInitialEvents", "true")
                    .setQueryParameter("resourceVersionMatch", "NotOlderThan");
        }
        if (resourceVersion.isEmpty()) {
            url.removeAllQueryParameters("resourceVersion");
        }
        Call call = begin(base.newBuilder()
                .url(url.build())
                .header("Accept", template.accept(true))
                .header("Accept-Encoding", "identity")
                .build());
        String what = "watch " + target;
        try {
            Response response = call.execute();
            if (!response.isSuccessful()) {
                throw ApiRequests.failure(what, response);
            }
            return new WatchLines<>(call, response, objects);
        } catch (IOException e) {
            throw ApiRequests.failure(what, e);
        }
    }

    private Call begin(Request request) {
        path = requests.path(request.url());
        Call call = requests.call(RetryAfter.leftToCaller(request));
        current = call;
        return call;
    }

    @Override
    public boolean isKnownMissing() {
        ResourcePath known = path;
        try {
            return known != null && !discovery.isServedNow(known.group(), known.version(), known.plural());
        } catch (ApiException e) {
            // Whatever keeps the API server from saying so will show in a list, which has its own way to wait.
            return false;
        }
    }

    @Override
    public void cancel() {
        Call call = current;
        if (call != null) {
            call.cancel();
        }
    }

    private static final class Page {

        private String resourceVersion = "";
        private @Nullable String next;
        private int unreadable;
    }
}
