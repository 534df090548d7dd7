package io.controllermanager.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.apiserver.access.AccessControl;
import io.controllermanager.apiserver.faults.RequestTarget;
import io.controllermanager.apiserver.http.Handler;
import io.controllermanager.apiserver.http.MediaTypes;
import io.controllermanager.apiserver.http.Request;
import io.controllermanager.apiserver.http.Response;
import io.controllermanager.apiserver.http.StatusException;
import io.controllermanager.apiserver.json.Json;
import io.controllermanager.apiserver.protobuf.OpenApiWriter;
import io.controllermanager.apiserver.resource.BuiltIns;
import io.controllermanager.apiserver.resource.Discovery;
import io.controllermanager.apiserver.resource.OpenApi;
import io.controllermanager.apiserver.resource.OpenApiV2;
import io.controllermanager.apiserver.resource.Registry;
import io.controllermanager.apiserver.resource.ResourceType;
import io.controllermanager.apiserver.table.Representation;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import okhttp3.MediaType;

/**
 * Finds out what a request is about, and who answers it.
 *
 * @param sharded whether {@code shardSelector} is a parameter
 */
public record Router(
        Registry registry,
        AccessControl access,
        boolean sharded,
        Reader reader,
        Writer writer,
        Deleter deleter,
        Function<ResourceRequest, Response> watches,
        PodSubresources pods,
        Evictions evictions,
        BiFunction<ResourceRequest, ObjectNode, ObjectNode> reviews)
        implements Handler {

    @Override
    public Response handle(Request request) {
        List<String> path = request.path();
        String first = path.isEmpty() ? "" : path.get(0);
        RequestTarget target = RequestTarget.of(request);
        access.check(request, target);
        if (!target.resource().isEmpty()) {
            if (registry.isGone(target.group())) {
                // In these words clients say what they asked for.
                return Response.text(404, "404 page not found\n");
            }
            ResourceRequest known = resource(request, target);
            Response response = answer(target.verb(), known);
            String warning = known.type().deprecation();
            return response instanceof Response.Document document && !warning.isEmpty()
                    ? document.with(warning)
                    : response;
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            throw StatusException.methodNotAllowed();
        }
        return switch (first) {
            case "api" -> discover(request, true);
            case "apis" -> discover(request, false);
            case "version" -> Response.json(200, Json.resource(Router.class, "version.json"));
            case "openapi" -> openApi(request);
            case "healthz", "livez", "readyz" -> Response.text(200, "ok");
            default -> throw StatusException.noSuchResource();
        };
    }

    private Response discover(Request request, boolean core) {
        Discovery discovery = new Discovery(registry);
        List<String> path = request.path();
        if (path.size() == 1) {
            for (MediaType type : MediaTypes.of(request.header("Accept"))) {
                if (MediaTypes.takesJson(type)
                        && "APIGroupDiscoveryList".equals(type.parameter("as"))
                        && "v2".equals(type.parameter("v"))) {
                    String mediaType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
                    return new Response.Document(200, Json.write(discovery.aggregated(core)), mediaType, List.of());
                }
            }
            return Response.json(200, core ? discovery.coreVersions(request.header("Host")) : discovery.groups());
        }
        boolean group = !core && path.size() == 2;
        String name = core ? "" : path.get(1);
        return Response.json(200, group ? discovery.group(name) : discovery.resources(name, path.get(core ? 1 : 2)));
    }

    private Response openApi(Request request) {
        List<String> path = request.path();
        String kind = path.size() < 2 ? "" : path.get(1);
        if (kind.equals("v2") && path.size() == 2) {
            return openApiV2(request.header("Accept"));
        } else if (!kind.equals("v3")) {
            throw StatusException.noSuchResource();
        }
        OpenApi openApi = new OpenApi(registry);
        return switch (path.size()) {
            case 2 -> Response.json(200, openApi.index());
            case 4 -> Response.json(200, openApi.document("", path.get(3)));
            case 5 -> Response.json(200, openApi.document(path.get(3), path.get(4)));
            default -> throw StatusException.noSuchResource();
        };
    }

    private Response openApiV2(String accept) {
        for (MediaType type : MediaTypes.of(accept.isBlank() ? MediaTypes.JSON : accept)) {
            if (MediaTypes.name(type).equals(MediaTypes.OPEN_API)) {
                byte[] document = OpenApiWriter.write(OpenApiV2.document(registry));
                return new Response.Document(200, document, MediaTypes.OPEN_API, List.of());
            } else if (MediaTypes.takesJson(type)) {
                return Response.json(200, OpenApiV2.document(registry));
            }
        }
        throw StatusException.notAcceptable();
    }

    /** Reads a path; 404 if there is no such resource. */
    private ResourceRequest resource(Request request, RequestTarget target) {
        String subresource = target.resource() + "/" + target.subresource();
        String apiVersion = ResourceType.apiVersion(target.group(), target.version());
        if (BuiltIns.all().lacks(apiVersion, subresource)) {
            pods.checkStream(target, request);
            throw StatusException.notServed(501, subresource);
        }
        if (BuiltIns.all().lacks(apiVersion, target.resource())
                || (!target.group().isEmpty() && !registry.groups().contains(target.group()))) {
            throw StatusException.notServed(404, target.resource() + " of " + apiVersion);
        }
        ResourceType type = registry.get(target.group(), target.version(), target.resource());
        boolean inNamespace = !target.namespace().isEmpty();
        boolean known = target.subresource().isEmpty() || type.subresources().contains(target.subresource());
        boolean misplaced = inNamespace != type.namespaced()
                && (inNamespace || !target.name().isEmpty());
        boolean ends = target.subresource().isEmpty()
                || target.path().endsWith("/" + target.name() + "/" + target.subresource());
        if (!known || misplaced || !ends) {
            throw StatusException.noSuchResource();
        }
        return new ResourceRequest(request, type, target.namespace(), target.name(), target.subresource(), sharded);
    }

    private Response answer(String verb, ResourceRequest request) {
        boolean everywhere = request.type().namespaced() && request.namespace().isEmpty();
        boolean sub = !request.subresource().isEmpty();
        if (request.shown().type().review()) {
            refuse(!verb.equals("create") || everywhere || sub == request.name().isEmpty());
            return review(request);
        }
        refuse(
                switch (verb) {
                    case "create" -> everywhere || sub;
                    case "update", "patch" ->
                        request.name().isEmpty() || request.subresource().equals("log");
                    case "delete" -> sub;
                    case "deletecollection" -> everywhere || !request.type().deletesCollections();
                    default -> false;
                });
        return switch (verb) {
            case "watch" -> watches.apply(request);
            case "list" -> reader.list(request);
            case "get" -> request.subresource().equals("log") ? pods.log(request) : reader.get(request);
            case "create" -> writer.create(request);
            case "update" -> writer.update(request);
            case "patch" -> writer.patch(request);
            case "delete" -> deleter.delete(request);
            case "deletecollection" -> deleter.deleteCollection(request);
            default -> throw StatusException.methodNotAllowed();
        };
    }

    private Response review(ResourceRequest request) {
        ResourceRequest shown = request.shown();
        ObjectNode asked = Decoder.body(request.http(), shown.type());
        List<String> warnings = Decoder.fit(shown, asked);
        Placement.place(shown, asked);
        asked = writer.admit(request, asked, warnings);
        ObjectNode answer = switch (shown.type().kind()) {
            case "Binding" -> pods.bind(request, asked);
            case "Eviction" -> evictions.evict(request, asked);
            default -> reviews.apply(request, asked);
        };
        return Representation.of(request.http()).one(201, shown.type(), answer, warnings);
    }

    private static void refuse(boolean not) {
        if (not) {
            throw StatusException.methodNotAllowed();
        }
    }
}
