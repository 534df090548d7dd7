package io.controllermanager.promises;

import io.controllermanager.manager.internal.KeyExplanation;
import io.controllermanager.spring.actuate.endpoint.ControllersEndpoint;
import io.controllermanager.spring.actuate.endpoint.DividedDescriptor;
import io.controllermanager.spring.actuate.endpoint.InformersEndpoint;
import io.controllermanager.spring.actuate.endpoint.LeaderElectionEndpoint;
import io.controllermanager.spring.actuate.endpoint.QueueDescriptor;
import io.controllermanager.webhook.autoconfigure.WebhooksEndpoint;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.util.ClassUtils;

/**
 * The endpoints: {@code endpoint ID/*: GET}, where each selector is an asterisk, {@code endpoint ID/*{NAME}: String}
 * for a parameter, and {@code field ID.NAME: String} for a field of what is answered.
 */
final class PromisedEndpoints {

    private static final Map<Class<? extends Annotation>, String> OPERATIONS =
            Map.of(ReadOperation.class, "GET", WriteOperation.class, "POST", DeleteOperation.class, "DELETE");

    private static final Map<Class<?>, List<Class<?>>> ANSWERS = Map.of(
            ControllersEndpoint.class,
            List.of(
                    ControllersEndpoint.ControllersDescriptor.class,
                    ControllersEndpoint.ErrorsDescriptor.class,
                    ControllersEndpoint.KeysDescriptor.class,
                    ControllersEndpoint.OperationError.class,
                    QueueDescriptor.class,
                    KeyExplanation.class),
            InformersEndpoint.class,
            List.of(InformersEndpoint.InformersDescriptor.class),
            LeaderElectionEndpoint.class,
            List.of(
                    LeaderElectionEndpoint.Controllers.class,
                    LeaderElectionEndpoint.ControllersAndShards.class,
                    LeaderElectionEndpoint.LeaseAndShards.class,
                    DividedDescriptor.class),
            WebhooksEndpoint.class,
            List.of(WebhooksEndpoint.WebhooksDescriptor.class));

    private final Set<String> names = new TreeSet<>();

    private PromisedEndpoints() {}

    static Set<String> now() {
        PromisedEndpoints endpoints = new PromisedEndpoints();
        ANSWERS.forEach((endpoint, answers) -> {
            String id = endpoint.getAnnotation(Endpoint.class).id();
            OPERATIONS.forEach((operation, method) -> {
                for (Method each : endpoint.getDeclaredMethods()) {
                    if (each.isAnnotationPresent(operation)) {
                        endpoints.addOperation(id, method, each);
                    }
                }
            });
            answers.forEach(answer -> endpoints.addFields("field " + id, answer));
        });
        return endpoints.names;
    }

    private void addOperation(String id, String method, Method operation) {
        StringBuilder path = new StringBuilder("endpoint ").append(id);
        List<Parameter> parameters = List.of(operation.getParameters());
        parameters.stream()
                .filter(parameter -> parameter.isAnnotationPresent(Selector.class))
                .forEach(selector -> path.append("/*"));
        names.add(path + ": " + method);
        parameters.stream()
                .filter(parameter -> !parameter.isAnnotationPresent(Selector.class))
                .forEach(parameter -> names.add(path + "{" + parameter.getName() + "}: " + json(parameter.getType())));
    }

    private void addFields(String path, Type type) {
        if (type instanceof ParameterizedType generic) {
            for (Type argument : generic.getActualTypeArguments()) {
                addFields(path, argument);
            }
        } else if (type instanceof Class<?> record && record.isRecord()) {
            for (RecordComponent component : record.getRecordComponents()) {
                String field = path + "." + component.getName();
                names.add(field + ": " + json(component.getType()));
                addFields(field, component.getGenericType());
            }
        }
    }

    /** What becomes of a type in JSON; of text, the type that says how it is written. */
    private static String json(Class<?> type) {
        Class<?> boxed = ClassUtils.resolvePrimitiveIfNecessary(type);
        return Number.class.isAssignableFrom(boxed)
                ? "Number"
                : Collection.class.isAssignableFrom(type)
                        ? "List"
                        : type.isRecord() ? "Object" : type.isEnum() ? "String" : boxed.getSimpleName();
    }
}
