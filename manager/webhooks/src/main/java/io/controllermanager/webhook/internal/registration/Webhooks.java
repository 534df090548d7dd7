package io.controllermanager.webhook.internal.registration;

import io.controllermanager.client.internal.json.TypeArguments;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The webhooks of an application, each by its class, in the order of what they are for. They fit each other.
 *
 * @param validators one at most for a type
 * @param defaulters one at most for a type
 * @param converters one at most for a version; those of a type have one hub
 */
public record Webhooks(
        List<AdmissionWebhook> validators, List<AdmissionWebhook> defaulters, List<VersionConverter> converters) {

    /**
     * What classes with {@link ValidatingWebhook}, {@link MutatingWebhook} or {@link ConversionWebhook} say; others do not count.
     *
     * @throws IllegalArgumentException if a class cannot be registered as it is, or two do not fit each other; the message names
     *     them and the value
     */
    public static Webhooks of(Collection<? extends Class<?>> classes) {
        List<AdmissionWebhook> validators = new ArrayList<>();
        List<AdmissionWebhook> defaulters = new ArrayList<>();
        List<VersionConverter> converters = new ArrayList<>();
        for (Class<?> type : classes) {
            if (type.isAnnotationPresent(ValidatingWebhook.class)) {
                validators.add(AdmissionWebhook.validating(type));
            }
            if (type.isAnnotationPresent(MutatingWebhook.class)) {
                defaulters.add(AdmissionWebhook.mutating(type));
            }
            if (type.isAnnotationPresent(ConversionWebhook.class)) {
                converters.add(VersionConverter.of(type));
            }
        }
        checkOneFor(
                validators,
                "a validator",
                AdmissionWebhook::webhookClass,
                webhook -> webhook.type().qualifiedName());
        checkOneFor(
                defaulters,
                "a defaulter",
                AdmissionWebhook::webhookClass,
                webhook -> webhook.type().qualifiedName());
        checkOneFor(
                converters,
                "a converter",
                VersionConverter::converterClass,
                converter -> converter.version().toString());
        checkHubs(converters);
        Comparator<AdmissionWebhook> byType =
                Comparator.comparing(webhook -> webhook.type().qualifiedName());
        validators.sort(byType);
        defaulters.sort(byType);
        converters.sort(Comparator.comparing(converter -> converter.version().toString()));
        return new Webhooks(List.copyOf(validators), List.copyOf(defaulters), List.copyOf(converters));
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
        List<Class<?>> classes = new ArrayList<>();
        converters.forEach(converter -> classes.add(converter.converterClass()));
        defaulters.forEach(webhook -> classes.add(webhook.webhookClass()));
        validators.forEach(webhook -> classes.add(webhook.webhookClass()));
        return classes.stream().map(Class::getName).distinct().sorted().collect(Collectors.joining(" and "));
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return validators.isEmpty() && defaulters.isEmpty() && converters.isEmpty();
    }

    private static <W> void checkOneFor(
            List<W> webhooks, String what, Function<W, Class<?>> classOf, Function<W, String> target) {
        Map<String, Class<?>> known = new HashMap<>();
        for (W webhook : webhooks) {
            Class<?> other = known.put(target.apply(webhook), classOf.apply(webhook));
            if (other != null) {
                throw invalid(
                        classOf.apply(webhook),
                        other.getName() + " is " + what + " for " + target.apply(webhook) + " too: make one of them");
            }
        }
    }

    private static void checkHubs(List<VersionConverter> converters) {
        Map<String, VersionConverter> known = new HashMap<>();
        for (VersionConverter converter : converters) {
            VersionConverter other = known.putIfAbsent(converter.hub().qualifiedName(), converter);
            if (other != null && !other.hub().equals(converter.hub())) {
                throw invalid(
                        converter.converterClass(),
                        "hub = " + converter.hub() + ", but "
                                + other.converterClass().getName() + " has the hub " + other.hub()
                                + ": all converters of a type have one hub");
            }
        }
    }

    /** Makes sure that a class is what its annotation makes of it, for the classes that the annotation names. */
    static void checkImplements(
            Class<?> type, Class<?> contract, Class<? extends Annotation> annotation, Class<?>... named) {
        String shown = "@" + annotation.getSimpleName();
        if (!contract.isAssignableFrom(type)) {
            throw invalid(type, "it has " + shown + " but is no " + contract.getSimpleName());
        }
        for (int i = 0; i < named.length; i++) {
            Class<?> declared = TypeArguments.of(type, contract.getTypeParameters()[i]);
            if (declared != null && !declared.isAssignableFrom(named[i])) {
                throw invalid(
                        type,
                        shown + " names " + named[i].getName() + ", but it is a " + contract.getSimpleName() + " of "
                                + declared.getName() + ": name the same class in both");
            }
        }
    }

    static IllegalArgumentException invalid(Class<?> type, String problem) {
        return new IllegalArgumentException(type.getName() + ": " + problem);
    }
}
