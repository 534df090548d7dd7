package io.controllermanager.test;

import io.controllermanager.client.ResourceType;
import io.controllermanager.client.internal.json.ApiJson;
import io.controllermanager.client.internal.request.Keys;
import io.controllermanager.informer.Selection;
import io.controllermanager.reconciler.Index;
import io.controllermanager.webhook.Admission;
import io.controllermanager.webhook.Admission.Operation;
import io.controllermanager.webhook.Defaulter;
import io.controllermanager.webhook.Validator;
import io.controllermanager.webhook.Verdict;
import io.controllermanager.webhook.WebhookDescription;
import io.controllermanager.webhook.internal.answer.Validation;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1UserInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks a {@link Validator} or a {@link Defaulter} as the API server would, without one. What it reads are the objects that the test
 * gives. Used by one thread.
 *
 * <pre>{@code
 * Verdict verdict = Admissions.of(new WebsiteValidator()).with(first).by("jo").create(second);
 * }</pre>
 *
 * @param <T> the objects' class
 * @param <A> what it answers: a {@link Verdict}, or the object with defaults
 */
public final class Admissions<T extends KubernetesObject, A> {

    private final BiFunction<T, Admission<T>, A> webhook;
    private final WebhookDescription description;
    private final List<KubernetesObject> cached = new ArrayList<>();
    private V1UserInfo user = new V1UserInfo().username("kubernetes-admin");
    private boolean dryRun;

    private Admissions(BiFunction<T, Admission<T>, A> webhook, WebhookDescription description) {
        this.webhook = webhook;
        this.description = description;
    }

    /** Asks a validator. */
    public static <T extends KubernetesObject> Admissions<T, Verdict> of(Validator<T> validator) {
        WebhookDescription description = new WebhookDescription();
        validator.describe(description);
        return new Admissions<>((object, admission) -> Validation.verdict(validator, object, admission), description);
    }

    /** Asks a defaulter. */
    public static <T extends KubernetesObject> Admissions<T, T> of(Defaulter<T> defaulter) {
        WebhookDescription description = new WebhookDescription();
        defaulter.describe(description);
        return new Admissions<>(defaulter::withDefaults, description);
    }

    /**
     * Objects that the caches have.
     *
     * @throws IllegalArgumentException if the description names no selection of their class
     */
    public Admissions<T, A> with(KubernetesObject... objects) {
        for (KubernetesObject object : objects) {
            require(
                    description.selections().stream()
                            .anyMatch(
                                    selection -> selection.type().objectClass().isInstance(object)),
                    object.getClass().getSimpleName());
            cached.add(object);
        }
        return this;
    }

    /** By another user than {@code kubernetes-admin}. */
    public Admissions<T, A> by(String name, String... groups) {
        user = new V1UserInfo().username(name).groups(List.of(groups));
        return this;
    }

    /** Nothing is to be stored. */
    public Admissions<T, A> dryRun() {
        dryRun = true;
        return this;
    }

    /** What is answered to a create. */
    public A create(T object) {
        return ask(Operation.CREATE, object, null);
    }

    /** What is answered to an update. */
    public A update(T before, T object) {
        return ask(Operation.UPDATE, object, before);
    }

    /** What is answered to a deletion; a defaulter is never asked. */
    public A delete(T object) {
        return ask(Operation.DELETE, object, object);
    }

    private A ask(Operation operation, T object, @Nullable T before) {
        String namespace = object.getMetadata().getNamespace();
        @SuppressWarnings("unchecked") // An object has its own class.
        T copy = ApiJson.copy(object, (Class<T>) object.getClass());
        return webhook.apply(copy, new HandMade<>(operation, namespace, user, dryRun, before, description, cached));
    }

    private static void require(boolean isNamed, Object what) {
        if (!isNamed) {
            throw new IllegalArgumentException("describe(...) does not name " + what);
        }
    }

    private record HandMade<T extends KubernetesObject>(
            Operation operation,
            @Nullable String namespace,
            V1UserInfo user,
            boolean isDryRun,
            @Nullable T before,
            WebhookDescription description,
            List<KubernetesObject> cached)
            implements Admission<T> {

        @Override
        public <R extends KubernetesObject> @Nullable R find(Selection<R> selection, String name) {
            require(description.selections().contains(selection), selection);
            boolean whole = name.contains("/") || selection.type().scope() == ResourceType.Scope.CLUSTER;
            String key = whole ? name : Keys.shown(namespace, name);
            return of(selection)
                    .filter(object -> Keys.shown(Keys.of(object)).equals(key))
                    .findFirst()
                    .orElse(null);
        }

        @Override
        @SuppressWarnings("unchecked") // An index is of the class of its selection.
        public <R extends KubernetesObject> List<R> find(Index<R> index, String value) {
            require(
                    description.indexes().stream()
                            .anyMatch(indexed -> indexed.index().equals(index)),
                    "index " + index.name());
            return description.indexes().stream()
                    .filter(indexed -> indexed.index().equals(index))
                    .flatMap(indexed -> of((Selection<R>) indexed.selection()))
                    .filter(object -> index.values().apply(object).contains(value))
                    .toList();
        }

        private <R extends KubernetesObject> Stream<R> of(Selection<R> selection) {
            return cached.stream()
                    .filter(selection.type().objectClass()::isInstance)
                    .map(selection.type().objectClass()::cast);
        }
    }
}
