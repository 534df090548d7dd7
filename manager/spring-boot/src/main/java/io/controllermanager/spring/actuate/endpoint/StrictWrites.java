package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint.OperationError;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.invoke.ParameterMappingException;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Answers 400, with the field's name, to what Spring takes for writes to {@code controllers}: fields that nobody reads, and
 * values of another type. Spring also lets a body's field replace what the path says, so that a right on one controller's path
 * would do for any other. Over JMX neither can come.
 */
public final class StrictWrites implements OperationInvokerAdvisor {

    private static final EndpointId ENDPOINT = EndpointId.of("controllers");

    /** Of Spring MVC's {@code HandlerMapping}, which is not on every class path. */
    private static final String PATH_VARIABLES = "org.springframework.web.servlet.HandlerMapping.uriTemplateVariables";

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        return type == OperationType.WRITE && endpoint.equals(ENDPOINT)
                ? context -> invoke(context, parameters, invoker)
                : invoker;
    }

    private static @Nullable Object invoke(
            InvocationContext context, OperationParameters parameters, OperationInvoker invoker) {
        Map<?, ?> path = pathVariables();
        List<String> fields = parameters.stream()
                .map(OperationParameter::getName)
                .filter(name -> !path.containsKey(name))
                .toList();
        for (Map.Entry<String, Object> given : context.getArguments().entrySet()) {
            if (!fields.contains(given.getKey()) && !path.entrySet().contains(given)) {
                return refusal("unknown field \"" + given.getKey() + "\": known are " + String.join(", ", fields));
            }
        }
        try {
            return invoker.invoke(context);
        } catch (ParameterMappingException e) {
            String type = e.getParameter().getType() == Integer.class ? "a whole number" : "one value";
            return refusal(e.getParameter().getName() + " must be " + type + ", but is \"" + e.getValue() + "\"");
        }
    }

    private static Map<?, ?> pathVariables() {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        Object variables =
                request == null ? null : request.getAttribute(PATH_VARIABLES, RequestAttributes.SCOPE_REQUEST);
        return variables instanceof Map<?, ?> path ? path : Map.of();
    }

    private static WebEndpointResponse<Object> refusal(String error) {
        return new WebEndpointResponse<>(new OperationError(error), WebEndpointResponse.STATUS_BAD_REQUEST);
    }
}
