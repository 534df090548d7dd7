package io.controllermanager.informer.internal;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import io.controllermanager.client.internal.connection.WriteObserver;
import io.controllermanager.client.internal.request.FailureMessage;
import io.controllermanager.client.internal.request.ResourcePath;
import java.io.IOException;
import java.util.Collection;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.Buffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the answers to this process's writes to the informers that they concern. Leaves out dry runs, of which nothing is
 * stored.
 *
 * @param informers those that there are now; safe for use by several threads
 */
record OwnWriteObserver(Collection<ListWatchInformer<?>> informers) implements WriteObserver {

    private static final Logger log = LoggerFactory.getLogger(OwnWriteObserver.class);

    @Override
    public boolean observes(Request request, ResourcePath path) {
        return request.url().queryParameter("dryRun") == null
                && informers.stream().anyMatch(informer -> informer.concerns(path));
    }

    @Override
    public void written(Request request, ResourcePath path, JsonObject answer) {
        if (isDryRunByOptions(request)) {
            return;
        }
        for (ListWatchInformer<?> informer : informers) {
            if (informer.concerns(path)) {
                try {
                    informer.written(path, request.method(), answer);
                } catch (RuntimeException e) {
                    // By a transform, say, that does not take this object: a matter of this informer alone.
                    log.atWarn()
                            .setCause(e)
                            .addKeyValue("informer", informer)
                            .log(
                                    "The {} does not see an own write before the watch brings it: {}",
                                    informer,
                                    FailureMessage.of(e));
                }
            }
        }
    }

    /**
     * Whether the DeleteOptions of a deletion ask for a dry run, as those of client-java's {@code GenericKubernetesApi} can;
     * true as well if they cannot be read.
     */
    private static boolean isDryRunByOptions(Request request) {
        RequestBody body = request.body();
        if (body == null || !request.method().equals("DELETE")) {
            return false;
        }
        if (body.isOneShot() || body.isDuplex()) {
            return true;
        }
        try (Buffer options = new Buffer()) {
            body.writeTo(options);
            return options.size() > 0 && isIn(JsonParser.parseString(options.readUtf8()));
        } catch (IOException | JsonSyntaxException e) {
            return true;
        }
    }

    private static boolean isIn(JsonElement options) {
        if (!(options instanceof JsonObject object)) {
            return !(options instanceof JsonNull);
        }
        return object.get("dryRun") instanceof JsonArray stages && !stages.isEmpty();
    }
}
