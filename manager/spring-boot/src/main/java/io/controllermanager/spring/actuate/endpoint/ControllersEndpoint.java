package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.controller.internal.ControllerSnapshot;
import io.controllermanager.manager.internal.ControllerOperations;
import io.controllermanager.manager.internal.ControllerStatus;
import io.controllermanager.manager.internal.KeyExplanation;
import io.kubernetes.client.extended.controller.reconciler.Request;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * How each controller is, those that are switched off included; and what an operator can do with one, unless the
 * endpoint's access is read-only, as it is by default.
 */
@Endpoint(id = "controllers", defaultAccess = Access.READ_ONLY)
public class ControllersEndpoint {

    private static final int CONFLICT = 409;

    /** In paths, for objects that live in no namespace. */
    private static final String NO_NAMESPACE = "-";

    private final Supplier<List<ControllerStatus>> controllers;
    private final Supplier<ControllerOperations> operations;

    /**
     * With where the controllers are asked for.
     *
     * @param operations throws {@link IllegalStateException} while there are none
     */
    public ControllersEndpoint(
            Supplier<List<ControllerStatus>> controllers, Supplier<ControllerOperations> operations) {
        this.controllers = controllers;
        this.operations = operations;
    }

    /** What can be done with a controller. */
    private enum Action {
        /** Take no more keys. */
        PAUSE,
        /** End a pause. */
        RESUME,
        /** Change the number of workers. */
        RESIZE,
        /** Reconcile a key before all others. */
        RECONCILE,
        /** Stop the controller and the informers that only it needs. */
        STOP,
        /** Start it from the beginning. */
        START;

        private static Action of(@Nullable String text) {
            String known = Stream.of(values()).map(Action::inRequests).collect(Collectors.joining(", "));
            if (text == null) {
                throw new IllegalArgumentException("action must be given: one of " + known);
            }
            return Stream.of(values())
                    .filter(action -> action.name().equalsIgnoreCase(text))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "action must be one of " + known + ", but is \"" + text + "\""));
        }

        /** Refuses a field that another action alone reads: whoever sends it means something else. */
        private void refuse(String field, @Nullable Object value, Action reader) {
            if (value != null && this != reader) {
                throw new IllegalArgumentException(field + " is for " + reader.inRequests() + ", but the action is "
                        + inRequests() + (this == RECONCILE ? "" : ", which is for the whole controller"));
            }
        }

        private String inRequests() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** All controllers. */
    @ReadOperation
    public ControllersDescriptor controllers() {
        return new ControllersDescriptor(controllers.get());
    }

    /** One controller, null if there is none of that name. */
    @ReadOperation
    public @Nullable ControllerStatus controller(@Selector String name) {
        return controllers.get().stream()
                .filter(controller -> controller.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /**
     * What is in a controller's queue, what failed last in it, or which keys were reconciled last.
     *
     * @param part {@code queue}, {@code errors} or {@code keys}
     * @param contains what keys are to contain, null for all; for {@code keys}
     * @return a {@link QueueDescriptor}, an {@link ErrorsDescriptor}, a {@link KeysDescriptor}, or an {@link OperationError} with
     *     404 or 409
     */
    @ReadOperation
    public WebEndpointResponse<Object> part(@Selector String name, @Selector String part, @Nullable String contains) {
        return switch (part) {
            case "keys" ->
                answer(() -> new KeysDescriptor(
                        operations.get().search(name, Objects.requireNonNullElse(contains, "")).stream()
                                .map(Keys::shown)
                                .toList()));
            case "queue" -> answer(() -> QueueDescriptor.of(operations.get().queue(name)));
            case "errors" -> answer(() -> new ErrorsDescriptor(operations.get().failures(name)));
            default -> error(new OperationError("there is nothing called \"" + part + "\""), 404);
        };
    }

    /**
     * Why a key was reconciled, what that did, and what the key waits for.
     *
     * @param part {@code keys}
     * @param namespace the object's, {@value #NO_NAMESPACE} if it lives in none
     * @return a {@link KeyExplanation}, or an {@link OperationError} with 400, 404 or 409
     */
    @ReadOperation
    public WebEndpointResponse<Object> key(
            @Selector String name, @Selector String part, @Selector String namespace, @Selector String object) {
        if (!part.equals("keys")) {
            return error(new OperationError("there is nothing called \"" + part + "\""), 404);
        }
        return answer(() ->
                operations.get().explain(name, new Request(namespace.equals(NO_NAMESPACE) ? null : namespace, object)));
    }

    /**
     * Does something with a controller.
     *
     * @param action pause, resume, resize, reconcile, stop or start, in any case
     * @param workers how many workers there are to be, to resize; else null
     * @param key {@code namespace/name}, or just the name of what lives in no namespace, to reconcile; else null
     * @return how the controller is afterwards, or an {@link OperationError} with 400, 404 or 409
     */
    @WriteOperation
    public WebEndpointResponse<Object> operate(
            @Selector String name, @Nullable String action, @Nullable Integer workers, @Nullable String key) {
        return answer(() -> {
            Action wanted = Action.of(action);
            wanted.refuse("workers", workers, Action.RESIZE);
            wanted.refuse("key", key, Action.RECONCILE);
            ControllerOperations host = operations.get();
            switch (wanted) {
                case PAUSE -> host.pause(name);
                case RESUME -> host.resume(name);
                case RESIZE -> host.resize(name, required("workers", workers));
                case RECONCILE -> host.reconcileNow(name, request(required("key", key)));
                case STOP -> host.stopController(name);
                case START -> host.startController(name);
            }
            ControllerStatus after = controller(name);
            return after == null ? new OperationError("the controller is gone") : after;
        });
    }

    private static WebEndpointResponse<Object> answer(Supplier<Object> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (NoSuchElementException e) {
            return error(new OperationError(String.valueOf(e.getMessage())), WebEndpointResponse.STATUS_NOT_FOUND);
        } catch (IllegalArgumentException e) {
            return error(new OperationError(String.valueOf(e.getMessage())), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (IllegalStateException e) {
            return error(new OperationError(String.valueOf(e.getMessage())), CONFLICT);
        }
    }

    private static WebEndpointResponse<Object> error(OperationError error, int status) {
        return new WebEndpointResponse<>(error, status);
    }

    private static <T> T required(String parameter, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(parameter + " must be given");
        }
        return value;
    }

    private static Request request(String key) {
        if (!key.matches("(?U)([^/\\s\\p{Cntrl}]+/)?[^/\\s\\p{Cntrl}]+")) {
            throw new IllegalArgumentException("key must be namespace/name or name, but is \"" + key + "\"");
        }
        return Keys.parse(key);
    }

    /**
     * What the endpoint returns.
     *
     * @param controllers all controllers, by name
     */
    public record ControllersDescriptor(List<ControllerStatus> controllers) {}

    /**
     * What failed in a controller.
     *
     * @param errors the newest failure of each of the ten keys that failed last, the newest first
     */
    public record ErrorsDescriptor(List<ControllerSnapshot.Failure> errors) {}

    /**
     * Which keys were reconciled last.
     *
     * @param keys those of which something is remembered, the last one first; 100 at most
     */
    public record KeysDescriptor(List<String> keys) {}

    /**
     * Why something was not done.
     *
     * @param error in one sentence
     */
    public record OperationError(String error) {}
}
