package io.controllermanager.informer;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import java.io.IOException;
import okhttp3.Request;
import okhttp3.RequestBody;
import okio.Buffer;

/** Tells the writes that are only tried: nothing of what the API server answers to them is stored. */
final class DryRun {

    private DryRun() {}

    /** Whether the URL says so, where it can be said for every write. */
    static boolean isInUrl(Request request) {
        return request.url().queryParameter("dryRun") != null;
    }

    /**
     * Whether the DeleteOptions of a deletion say so, as those of client-java's {@code GenericKubernetesApi} do; true as well
     * if they cannot be read.
     */
    static boolean isInOptions(Request request) {
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
