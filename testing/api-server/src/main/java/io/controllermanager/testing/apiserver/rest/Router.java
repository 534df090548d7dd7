package io.controllermanager.testing.apiserver.rest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.apiserver.http.Handler;
import io.controllermanager.testing.apiserver.http.MediaType;
import io.controllermanager.testing.apiserver.http.Request;
import io.controllermanager.testing.apiserver.http.Response;
import io.controllermanager.testing.apiserver.http.StatusException;
import io.controllermanager.testing.apiserver.json.Json;
import io.controllermanager.testing.apiserver.resource.Discovery;
import io.controllermanager.testing.apiserver.resource.OpenApi;
import io.controllermanager.testing.apiserver.resource.Registry;
import io.controllermanager.testing.apiserver.resource.ResourceType;
import java.util.List;
import java.util.Set;

/** Finds out what a request is about, and who answers it. */
public final class Router implements Handler {

    private static final Set<String> NAMESPACE_SUBRESOURCES = Set.of("status", "finalize");

    private final Registry registry;
    private final Discovery discovery;
    private final OpenApi openApi;
    private final Handlers handlers;

    /** Who answers requests for objects. */
    public record Handlers(Reader reader, Writer writer, Deleter deleter, Operation watches) {}

    /** Answers a request for objects. */
    @FunctionalInterface
    public interface Operation {

        Response answer(ResourceRequest request);
    }

    public Router(Registry registry, Handlers handlers) {
        this.registry = registry;
        this.discovery = new Discovery(registry);
        this.openApi = new OpenApi(registry);
        this.handlers = handlers;
    }

    @Override
    public Response handle(Request request) {
        List<String> path = request.path();
        String first = path.isEmpty() ? "" : path.get(0);
        if (isResource(path)) {
            return answer(resource(request));
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            throw StatusException.methodNotAllowed();
        }
        return switch (first) {
            case "api" -> discover(request, true);
            case "apis" -> discover(request, false);
            case "version" -> Response.json(200, version());
            case "openapi" -> openApi(path);
            case "healthz", "livez", "readyz" -> Response.text(200, "ok");
            default -> throw StatusException.noSuchResource();
        };
    }

    private static boolean isResource(List<String> path) {
        return !path.isEmpty()
                && ((path.get(0).equals("api") && path.size() > 2)
                        || (path.get(0).equals("apis") && path.size() > 3));
    }

    private Response discover(Request request, boolean core) {
        List<String> path = request.path();
        if (path.size() == 1) {
            for (MediaType type : MediaType.list(request.header("Accept"))) {
                if (type.takesJson()
                        && type.parameter("as").equals("APIGroupDiscoveryList")
                        && type.parameter("v").equals("v2")) {
                    return new Response.Document(
                            200,
                            Json.write(discovery.aggregated(core)),
                            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
                            List.of());
                }
            }
            return Response.json(200, core ? discovery.coreVersions(request.header("Host")) : discovery.groups());
        }
        if (core) {
            return Response.json(200, discovery.resources("", path.get(1)));
        }
        return Response.json(
                200, path.size() == 2 ? discovery.group(path.get(1)) : discovery.resources(path.get(1), path.get(2)));
    }

    private Response openApi(List<String> path) {
        if (path.size() < 2 || !path.get(1).equals("v3")) {
            throw StatusException.noSuchResource();
        }
        return switch (path.size()) {
            case 2 -> Response.json(200, openApi.index());
            case 4 -> Response.json(200, openApi.document("", path.get(3)));
            case 5 -> Response.json(200, openApi.document(path.get(3), path.get(4)));
            default -> throw StatusException.noSuchResource();
        };
    }

    private static ObjectNode version() {
        return Json.object()
                .put("major", "1")
                .put("minor", "36")
                .put("gitVersion", "v1.36.3+embedded")
                .put("gitCommit", "")
                .put("gitTreeState", "clean")
                .put("buildDate", "1970-01-01T00:00:00Z")
                .put("goVersion", "none")
                .put("compiler", "javac")
                .put("platform", "jvm");
    }

    /**
     * Reads a path.
     *
     * @throws StatusException 404 if there is no such resource
     */
    private ResourceRequest resource(Request request) {
        List<String> path = request.path();
        boolean core = path.get(0).equals("api");
        String group = core ? "" : path.get(1);
        String version = core ? path.get(1) : path.get(2);
        List<String> rest = path.subList(core ? 2 : 3, path.size());
        boolean inNamespace = rest.get(0).equals("namespaces")
                && rest.size() > 2
                && !(core && rest.size() == 3 && NAMESPACE_SUBRESOURCES.contains(rest.get(2)));
        String namespace = inNamespace ? rest.get(1) : "";
        List<String> object = inNamespace ? rest.subList(2, rest.size()) : rest;
        ResourceType type = registry.get(group, version, object.get(0));
        String name = object.size() > 1 ? object.get(1) : "";
        String subresource = object.size() > 2 ? object.get(2) : "";
        boolean known = subresource.isEmpty()
                || (subresource.equals("status") && type.status())
                || (subresource.equals("scale") && type.scale() != null);
        boolean misplaced = inNamespace ? !type.namespaced() : type.namespaced() && !name.isEmpty();
        if (object.size() > 3 || !known || misplaced) {
            throw StatusException.noSuchResource();
        }
        return new ResourceRequest(request, type, namespace, name, subresource);
    }

    private Response answer(ResourceRequest request) {
        boolean everywhere = request.type().namespaced() && request.namespace().isEmpty();
        boolean sub = !request.subresource().isEmpty();
        return switch (request.verb()) {
            case "watch" -> handlers.watches().answer(request);
            case "list" -> handlers.reader().list(request);
            case "get" -> handlers.reader().get(request);
            case "create" -> {
                refuse(everywhere || sub);
                yield handlers.writer().create(request);
            }
            case "update" -> {
                refuse(request.name().isEmpty());
                yield handlers.writer().update(request);
            }
            case "patch" -> {
                refuse(request.name().isEmpty());
                yield handlers.writer().patch(request);
            }
            case "delete" -> {
                refuse(sub);
                yield handlers.deleter().delete(request);
            }
            case "deletecollection" -> {
                refuse(everywhere);
                yield handlers.deleter().deleteCollection(request);
            }
            default -> throw StatusException.methodNotAllowed();
        };
    }

    private static void refuse(boolean not) {
        if (not) {
            throw StatusException.methodNotAllowed();
        }
    }
}
