package io.controllermanager.foo;

import com.google.gson.JsonObject;
import io.controllermanager.client.ApiDiscovery;
import io.controllermanager.client.Patch;
import io.controllermanager.client.ResourceClient;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.openapi.ApiException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a Foo's {@code status.availableReplicas}, whatever the installed CRD makes of it.
 *
 * <ul>
 *   <li>With a status subresource it is written there.
 *   <li>Without one, which discovery tells, it is written with the object. That raises the object's generation, at
 *       which nothing here looks.
 *   <li>If the CRD's schema does not know the field, the API server drops it from what it stores. The answer to the
 *       write shows that, and the same value is not written again.
 * </ul>
 *
 * <p>A merge patch says just this field, so that what others write stays. The CRD may be replaced at any time. Safe for
 * use by several threads.
 */
class FooStatusWriter {

    private static final Logger log = LoggerFactory.getLogger(FooStatusWriter.class);
    private static final int NOT_FOUND = 404;

    private final ResourceClient<Foo> client;
    private final ApiDiscovery discovery;

    /** Of each Foo whose value the API server dropped, that value. */
    private final Map<Request, Dropped> dropped = new ConcurrentHashMap<>();

    private record Dropped(String uid, int availableReplicas) {}

    FooStatusWriter(ResourceClient<Foo> client, ApiDiscovery discovery) {
        this.client = client;
        this.discovery = discovery;
    }

    /**
     * Writes the value if the Foo does not tell it yet.
     *
     * @return whether the Foo has changed
     * @throws ApiException if it cannot be written
     */
    boolean write(Foo foo, int availableReplicas) throws ApiException {
        Request key = new Request(foo.metadata().getNamespace(), foo.metadata().getName());
        Integer told = foo.availableReplicas();
        if (told != null && told == availableReplicas) {
            dropped.remove(key);
            return false;
        }
        Dropped attempt = new Dropped(String.valueOf(foo.metadata().getUid()), availableReplicas);
        if (attempt.equals(dropped.get(key))) {
            return false;
        }
        boolean kept = write(key, availableReplicas);
        if (kept) {
            dropped.remove(key);
        } else {
            dropped.put(key, attempt);
            log.atDebug().log("The installed CRD does not keep status.availableReplicas");
        }
        return kept;
    }

    /** The Foo is gone. */
    void forget(Request foo) {
        dropped.remove(foo);
    }

    private boolean write(Request foo, int availableReplicas) throws ApiException {
        boolean subresource = discovery.hasStatusSubresource(Foo.TYPE);
        try {
            if (patch(foo, availableReplicas, subresource)) {
                return true;
            }
            if (subresource) {
                return false;
            }
        } catch (ApiException e) {
            if (e.getCode() != NOT_FOUND || !subresource) {
                throw e;
            }
        }
        // Either the Foo is gone or discovery remembers an older CRD: a write of the object leaves the status alone
        // where there is a subresource, and a write to one that is not there finds nothing.
        discovery.invalidate(Foo.TYPE);
        boolean now = discovery.hasStatusSubresource(Foo.TYPE);
        if (now == subresource && !subresource) {
            return false;
        }
        return patch(foo, availableReplicas, now);
    }

    /** Returns whether the API server kept the value. */
    private boolean patch(Request foo, int availableReplicas, boolean subresource) throws ApiException {
        JsonObject status = new JsonObject();
        status.addProperty("availableReplicas", availableReplicas);
        JsonObject object = new JsonObject();
        object.add("status", status);
        Patch patch = new Patch.Merge(object.toString());
        Foo answer = subresource
                ? client.patchStatus(foo.getNamespace(), foo.getName(), patch)
                : client.patch(foo.getNamespace(), foo.getName(), patch);
        Integer kept = answer.availableReplicas();
        return kept != null && kept == availableReplicas;
    }
}
