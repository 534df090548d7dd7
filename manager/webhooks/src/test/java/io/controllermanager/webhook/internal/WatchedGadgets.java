package io.controllermanager.webhook.internal;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Gadgets of one version, listed once and then watched, from where the last watch has ended. The API server converts each event. It
 * ends all watches of a type when the CRD changes, with the {@code caBundle} too, and that is no failure; each end is counted.
 */
final class WatchedGadgets implements Runnable {

    private final CustomObjectsApi api;
    private final String version;
    private final AtomicInteger ends = new AtomicInteger();
    private final Set<String> names = ConcurrentHashMap.newKeySet();

    WatchedGadgets(ApiClient client, String version) {
        this.api = new CustomObjectsApi(client);
        this.version = version;
    }

    /** How many watches the API server has ended. */
    int ends() {
        return ends.get();
    }

    /** The names of all that the watches have told of. */
    Set<String> names() {
        return names;
    }

    /** Until its client is closed or a request is refused, which ends it with {@link IllegalStateException}. */
    @Override
    public void run() {
        try {
            String seen = list();
            while (true) {
                seen = open(seen);
                ends.incrementAndGet();
            }
        } catch (ApiException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As clients do, asks again after a second where the API server says so: it makes the type's storage anew. */
    private String open(String from) throws ApiException, IOException {
        while (true) {
            try {
                return watch(from);
            } catch (ApiException e) {
                if (e.getCode() != 429) {
                    throw e;
                }
                LockSupport.parkNanos(1_000_000_000);
            }
        }
    }

    private String list() throws ApiException {
        JsonObject list = new Gson().toJsonTree(request().execute()).getAsJsonObject();
        list.getAsJsonArray("items").forEach(gadget -> names.add(name(gadget.getAsJsonObject())));
        return version(list);
    }

    /** Reads one watch to its end. After a change of the CRD the API server knows no version from before, and it is listed again. */
    private String watch(String from) throws ApiException, IOException {
        String seen = from;
        try (Watch<JsonObject> events = Watch.createWatch(
                api.getApiClient(),
                request().resourceVersion(from).watch(true).buildCall(null),
                new TypeToken<Watch.Response<JsonObject>>() {}.getType())) {
            for (Watch.Response<JsonObject> event : events) {
                if (event.type.equals("ERROR")) {
                    if (Integer.valueOf(410).equals(event.status.getCode())) {
                        return list();
                    }
                    throw new IOException("the watch answers with " + event.status);
                }
                names.add(name(event.object));
                seen = version(event.object);
            }
        }
        return seen;
    }

    private static String name(JsonObject gadget) {
        return gadget.getAsJsonObject("metadata").get("name").getAsString();
    }

    private CustomObjectsApi.APIlistNamespacedCustomObjectRequest request() {
        return api.listNamespacedCustomObject("example.com", version, "default", "gadgets");
    }

    private static String version(JsonObject object) {
        return object.getAsJsonObject("metadata").get("resourceVersion").getAsString();
    }
}
