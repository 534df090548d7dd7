package io.controllermanager.client.internal.plan;

import com.google.gson.JsonObject;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.ResourcePath;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.openapi.models.V1StatusDetails;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** What the API server would answer if what is planned were there. */
final class PlannedAnswers {

    private PlannedAnswers() {}

    static Response deletion(Request request, ResourcePath path, JsonObject gone) {
        V1StatusDetails details = new V1StatusDetails().name(path.name()).uid(PlannedObject.text(gone, "uid"));
        return answer(request, 200, new V1Status().status("Success").details(details));
    }

    static Response refusal(Request request, ResourcePath path, int code) {
        String reason = code == 404 ? "NotFound" : request.method().equals("POST") ? "AlreadyExists" : "Conflict";
        V1StatusDetails details =
                new V1StatusDetails().name(path.name()).group(path.group()).kind(path.plural());
        return answer(
                request,
                code,
                new V1Status()
                        .status("Failure")
                        .reason(reason)
                        .code(code)
                        .message(path.plural() + " \"" + path.name() + "\": " + reason + ", as is planned")
                        .details(details));
    }

    private static Response answer(Request request, int code, V1Status status) {
        return answer(
                request,
                code,
                ApiJson.tree(status.apiVersion("v1").kind("Status")).getAsJsonObject());
    }

    static Response answer(Request request, int code, JsonObject body) {
        return new Response.Builder()
                .request(request)
                .protocol(Protocol.HTTP_1_1)
                .code(code)
                .message("planned")
                .header("Content-Type", ApiRequests.JSON)
                .body(ResponseBody.create(body.toString(), MediaType.get(ApiRequests.JSON)))
                .build();
    }
}
