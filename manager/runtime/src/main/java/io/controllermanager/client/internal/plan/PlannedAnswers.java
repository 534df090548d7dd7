package io.controllermanager.client.internal.plan;

import com.google.gson.JsonObject;
import io.controllermanager.client.internal.request.ApiRequests;
import io.controllermanager.client.internal.request.ResourcePath;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/** What the API server would answer if what is planned were there. */
final class PlannedAnswers {

    private PlannedAnswers() {}

    static JsonObject deletion(ResourcePath path, JsonObject gone) {
        JsonObject details = new JsonObject();
        details.addProperty("name", path.name());
        details.addProperty("uid", PlannedObject.text(gone, "uid"));
        JsonObject status = status("Success");
        status.add("details", details);
        return status;
    }

    private static JsonObject status(String outcome) {
        JsonObject status = new JsonObject();
        status.addProperty("kind", "Status");
        status.addProperty("apiVersion", "v1");
        status.addProperty("status", outcome);
        return status;
    }

    static Response refusal(Request request, ResourcePath path, int code) {
        String reason = code == 404 ? "NotFound" : request.method().equals("POST") ? "AlreadyExists" : "Conflict";
        JsonObject details = new JsonObject();
        details.addProperty("name", path.name());
        details.addProperty("group", path.group());
        details.addProperty("kind", path.plural());
        JsonObject status = status("Failure");
        status.addProperty("reason", reason);
        status.addProperty("code", code);
        status.addProperty("message", path.plural() + " \"" + path.name() + "\": " + reason + ", as is planned");
        status.add("details", details);
        return answer(request, code, status);
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
