package io.controllermanager.webhook.internal.migration;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.json.BytesJsonReader;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.client.internal.request.MetadataPatch;
import io.controllermanager.informer.PartialObjectMetadata;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import io.kubernetes.client.openapi.models.V1ListMeta;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/** Reads what is stored of a type, page by page, and has it stored again as it is. */
final class StoredObjects {

    private static final String METADATA_ONLY = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

    /** Something else has been at the object since it was listed: it is gone, or has been stored anew. */
    private static final Set<Integer> STORED_BY_OTHERS = Set.of(404, 409);

    /** Of these the API server gets over by itself. 0 is no answer at all. */
    private static final Set<Integer> PASSING = Set.of(0, 401, 429, 502, 503, 504);

    private static final int FORBIDDEN = 403;
    private static final int FAILED = 500;

    private final ApiRequests requests;
    private final ResourceType<PartialObjectMetadata> type;
    private final ResourceClient<PartialObjectMetadata> client;

    /**
     * Objects with their place.
     *
     * @param metadata of the page; its {@code continue} says where the next begins
     * @param items the objects' metadata
     */
    record Page(V1ListMeta metadata, @Nullable List<PartialObjectMetadata> items) {

        List<PartialObjectMetadata> objects() {
            return items == null ? List.of() : items;
        }

        /** Where the next page begins, null if there is none. */
        @Nullable
        String next() {
            String token = metadata.getContinue();
            return token == null || token.isEmpty() ? null : token;
        }
    }

    StoredObjects(ApiClient apiClient, ResourceType<?> type) {
        this.requests = new ApiRequests(apiClient);
        this.type = PartialObjectMetadata.of(type);
        this.client = new ResourceClient<>(apiClient, this.type);
    }

    /** The next objects. */
    Page page(String from, int limit) throws ApiException {
        List<Pair> query = new ArrayList<>(List.of(new Pair("limit", Integer.toString(limit))));
        if (!from.isEmpty()) {
            query.add(new Pair("continue", from));
        }
        Request request = requests.request("GET", type.path(null), query, null, null)
                .newBuilder()
                .header("Accept", METADATA_ONLY)
                .build();
        return requests.send(
                "list " + type,
                request,
                response -> ApiJson.adapter(Page.class)
                        .read(BytesJsonReader.of(response.body().byteStream())));
    }

    /** Where the rest of a list begins whose next page is not known any more; empty for the whole list. */
    static String rest(ApiException gone) {
        try {
            return JsonParser.parseString(String.valueOf(gone.getResponseBody()))
                    .getAsJsonObject()
                    .getAsJsonObject("metadata")
                    .get("continue")
                    .getAsString();
        } catch (RuntimeException e) {
            return "";
        }
    }

    /**
     * Has an object stored again, by a patch that changes nothing.
     *
     * @param last whether a failure of the API server counts as a refusal, and not as one that passes, as while a webhook is away
     * @return why it was refused, null if it was not
     * @throws ApiException if the API server cannot do it at the moment
     */
    @Nullable
    String rewrite(PartialObjectMetadata object, boolean last) throws ApiException {
        V1ObjectMeta metadata = object.getMetadata();
        try {
            client.patch(metadata.getNamespace(), metadata.getName(), MetadataPatch.of(metadata, new JsonObject()));
            return null;
        } catch (ApiException e) {
            // Without the right all would be refused; what a webhook refuses says so.
            boolean unauthorized =
                    e.getCode() == FORBIDDEN && !String.valueOf(e.getMessage()).contains("admission webhook");
            if (PASSING.contains(e.getCode()) || unauthorized || (e.getCode() == FAILED && !last)) {
                throw e;
            }
            return STORED_BY_OTHERS.contains(e.getCode()) ? null : Keys.shown(Keys.of(object)) + ": " + e.getMessage();
        }
    }
}
