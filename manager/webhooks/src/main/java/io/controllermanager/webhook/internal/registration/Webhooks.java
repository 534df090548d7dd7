package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.internal.json.TypeArguments;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import java.lang.annotation.Annotation;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks of an application, each by its class, in the order of what they are for. They fit each other.
 *
 * @param validators one at most for a type
 * @param defaulters one at most for a type
 * @param converters one at most for a version; those of a type have one hub
 */
public record Webhooks(
        List<AdmissionWebhook> validators, List<AdmissionWebhook> defaulters, List<VersionConverter> converters) {

    /** A bean with an annotation. */
    interface Registered {

        /** Its class. */
        Class<?> beanClass();

        /** What there can be one such bean for. */
        String target();
    }

    /**
     * What classes with {@link ValidatingWebhook}, {@link MutatingWebhook} or {@link ConversionWebhook} say; others do not count.
     *
     * @throws IllegalArgumentException if a class cannot be registered as it is, or two do not fit each other; the message names
     *     them and the value
     */
    public static Webhooks of(Collection<? extends Class<?>> classes) {
        Webhooks webhooks = new Webhooks(
                all(classes, ValidatingWebhook.class, AdmissionWebhook::validating),
                all(classes, MutatingWebhook.class, AdmissionWebhook::mutating),
                all(classes, ConversionWebhook.class, VersionConverter::of));
        Map<String, VersionConverter> known = new HashMap<>();
        for (VersionConverter converter : webhooks.converters) {
            VersionConverter other = known.putIfAbsent(converter.hub().qualifiedName(), converter);
            if (other != null && !other.hub().equals(converter.hub())) {
                throw invalid(
                        converter.beanClass(),
                        "hub = " + converter.hub() + ", but "
                                + other.beanClass().getName() + " has the hub " + other.hub()
                                + ": all converters of a type have one hub");
            }
        }
        return webhooks;
    }

    private static <A extends Annotation, W extends Registered> List<W> all(
            Collection<? extends Class<?>> classes, Class<A> annotation, BiFunction<Class<?>, A, W> reader) {
        Map<String, W> all = new TreeMap<>();
        for (Class<?> type : classes) {
            A says = type.getAnnotation(annotation);
            if (says != null) {
                try {
                    W webhook = reader.apply(type, says);
                    W other = all.put(webhook.target(), webhook);
                    if (other != null) {
                        throw new IllegalArgumentException(other.beanClass().getName() + " has @"
                                + annotation.getSimpleName() + " for " + other.target() + " too: make one of them");
                    }
                } catch (IllegalArgumentException e) {
                    throw invalid(type, e.getMessage());
                }
            }
        }
        return List.copyOf(all.values());
    }

    /** The names of all CRDs whose versions are converted. */
    public List<String> convertedTypes() {
        return converters.stream()
                .map(converter -> converter.hub().qualifiedName())
                .distinct()
                .toList();
    }

    /** The names of all classes, in order. */
    public String classes() {
        return all().map(webhook -> webhook.beanClass().getName())
                .distinct()
                .sorted()
                .collect(Collectors.joining(" and "));
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return all().findAny().isEmpty();
    }

    private Stream<Registered> all() {
        return Stream.of(validators, defaulters, converters).flatMap(List::stream);
    }

    /** Makes sure that a class is what its annotation makes of it, for the classes that the annotation names. */
    static void checkImplements(
            Class<?> type, Class<?> contract, Class<? extends Annotation> annotation, Class<?>... named) {
        String shown = "@" + annotation.getSimpleName();
        if (!contract.isAssignableFrom(type)) {
            throw new IllegalArgumentException("it has " + shown + " but is no " + contract.getSimpleName());
        }
        for (int i = 0; i < named.length; i++) {
            Class<?> declared = TypeArguments.of(type, contract.getTypeParameters()[i]);
            if (declared != null && !declared.isAssignableFrom(named[i])) {
                throw new IllegalArgumentException(shown + " names " + named[i].getName() + ", but it is a "
                        + contract.getSimpleName() + " of " + declared.getName() + ": name the same class in both");
            }
        }
    }

    private static IllegalArgumentException invalid(Class<?> type, @Nullable String problem) {
        return new IllegalArgumentException(type.getName() + ": " + problem);
    }
}
