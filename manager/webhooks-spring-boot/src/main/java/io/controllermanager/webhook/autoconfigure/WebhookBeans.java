package io.controllermanager.webhook.autoconfigure;

import io.controllermanager.client.ResourceType;
import io.controllermanager.webhook.ConversionWebhook;
import io.controllermanager.webhook.Converter;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.MutatingWebhook;
import io.controllermanager.webhook.ValidatingWebhook;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.WebhookDescription;
import io.controllermanager.webhook.internal.answer.AdmissionQuestion;
import io.controllermanager.webhook.internal.answer.Conversions;
import io.controllermanager.webhook.internal.answer.Defaulting;
import io.controllermanager.webhook.internal.answer.Reviews;
import io.controllermanager.webhook.internal.answer.Validation;
import io.controllermanager.webhook.internal.answer.WebhookCaches;
import io.controllermanager.webhook.internal.registration.WebhookNames;
import io.controllermanager.webhook.internal.registration.Webhooks;
import io.kubernetes.client.common.KubernetesObject;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The webhooks among the beans of an application.
 *
 * @param webhooks what their classes say
 * @param reviews asks them
 * @param caches what they read
 */
record WebhookBeans(Webhooks webhooks, Reviews reviews, List<WebhookCaches> caches) {

    /**
     * Finds them.
     *
     * @throws IllegalArgumentException if one has no annotation, is wrong, or does not fit another
     */
    static WebhookBeans in(ListableBeanFactory beans) {
        Map<Class<?>, Object> found = new LinkedHashMap<>();
        find(beans, Converter.class, ConversionWebhook.class, found);
        find(beans, Validator.class, ValidatingWebhook.class, found);
        find(beans, Defaulter.class, MutatingWebhook.class, found);
        Webhooks webhooks = Webhooks.of(found.keySet());
        Conversions conversions = new Conversions();
        webhooks.converters()
                .forEach(one -> conversions.add(one.beanClass(), bean(found, one.beanClass(), Converter.class)));
        Set<AdmissionQuestion<?>> questions = new HashSet<>();
        webhooks.validators()
                .forEach(one -> questions.add(validation(one.type(), bean(found, one.beanClass(), Validator.class))));
        webhooks.defaulters()
                .forEach(one -> questions.add(defaulting(one.type(), bean(found, one.beanClass(), Defaulter.class))));
        List<WebhookCaches> caches = new ArrayList<>();
        questions.forEach(question -> caches.add(question.caches()));
        return new WebhookBeans(webhooks, new Reviews(conversions, questions), caches);
    }

    private static <B> B bean(Map<Class<?>, Object> found, Class<?> type, Class<B> contract) {
        return contract.cast(Objects.requireNonNull(found.get(type)));
    }

    private static void find(
            ListableBeanFactory beans,
            Class<?> contract,
            Class<? extends Annotation> annotation,
            Map<Class<?>, Object> found) {
        beans.getBeansOfType(contract).forEach((name, bean) -> {
            Class<?> type = AopUtils.getTargetClass(bean);
            if (!type.isAnnotationPresent(annotation)) {
                throw new IllegalArgumentException(
                        "the bean %s is a %s that nobody asks: add @%s to %s, a class with a name, since its registration is made of it"
                                .formatted(name, contract.getSimpleName(), annotation.getSimpleName(), type.getName()));
            }
            Object other = found.put(type, bean);
            if (other != null && other != bean) {
                throw new IllegalArgumentException("there are two beans of " + type.getName() + ": make one of them");
            }
        });
    }

    @SuppressWarnings("unchecked") // The annotation names the class that the bean is for, as has been checked.
    private static <T extends KubernetesObject> AdmissionQuestion<T> validation(
            ResourceType<T> type, Validator<?> bean) {
        Validator<T> validator = (Validator<T>) bean;
        WebhookCaches own = caches(WebhookNames.validating(type), validator::describe);
        return new AdmissionQuestion<>(WebhookNames.validatePath(type), type, own, new Validation<>(type, validator));
    }

    @SuppressWarnings("unchecked") // The annotation names the class that the bean is for, as has been checked.
    private static <T extends KubernetesObject> AdmissionQuestion<T> defaulting(
            ResourceType<T> type, Defaulter<?> bean) {
        Defaulter<T> defaulter = (Defaulter<T>) bean;
        WebhookCaches own = caches(WebhookNames.mutating(type), defaulter::describe);
        return new AdmissionQuestion<>(WebhookNames.mutatePath(type), type, own, new Defaulting<>(type, defaulter));
    }

    private static WebhookCaches caches(String name, Consumer<WebhookDescription> describe) {
        WebhookDescription description = new WebhookDescription();
        describe.accept(description);
        return new WebhookCaches(name, description);
    }
}
