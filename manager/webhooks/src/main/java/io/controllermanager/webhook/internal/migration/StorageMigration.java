package io.controllermanager.webhook.internal.migration;

import io.controllermanager.client.ResourceClient;
import io.controllermanager.client.ResourceType;
import io.controllermanager.client.ResourceType.Scope;
import io.controllermanager.client.ResourceTypes;
import io.controllermanager.client.internal.request.MetadataPatch;
import io.controllermanager.controller.ControllerContext;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.event.RequestMappers;
import io.controllermanager.event.ResourceEvent;
import io.controllermanager.informer.Informer;
import io.controllermanager.informer.PartialObjectMetadata;
import io.controllermanager.informer.Selection;
import io.controllermanager.time.Clock;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller for CRDs whose objects may be stored in an old version: it has them stored again, a page for each reconcile, and
 * then takes the old version out of {@code status.storedVersions}. Where it is stands on the CRD, so that the next leader goes on
 * from there. An object that cannot be stored again is named there, and the old version stays.
 */
public final class StorageMigration implements Reconciler {

    /** The controller's name. */
    public static final String NAME = "storage-migration";

    private static final Logger log = LoggerFactory.getLogger(StorageMigration.class);

    /** How many objects are rewritten before the controller pauses: some 200 a second at most. */
    static final int PAGE = 200;

    static final Duration PAUSE = Duration.ofSeconds(1);

    private static final String OBJECTS = "controller_manager_storage_migration_objects";
    private static final int GONE = 410;
    private static final int FAILED = 500;

    /** How often an object is tried that the API server fails to store, as it does while a webhook is away. */
    private static final int TRIES = 5;

    private static final Result DONE = new Result(false);

    private final ApiClient apiClient;
    private final Map<String, Informer<V1CustomResourceDefinition>> informers = new TreeMap<>();
    private final ResourceClient<V1CustomResourceDefinition> crds;
    private final MeterRegistry meters;
    private final Clock clock;

    /** How often in a row the page of a CRD has failed. Used by the one worker. */
    private final Map<String, Integer> failures = new HashMap<>();

    private StorageMigration(
            ControllerContext context,
            Map<String, Selection<V1CustomResourceDefinition>> selections,
            MeterRegistry meters) {
        this.apiClient = context.apiClient();
        this.crds = new ResourceClient<>(apiClient, ResourceTypes.CUSTOM_RESOURCE_DEFINITION);
        this.meters = meters;
        this.clock = context.clock();
        selections.forEach((name, selection) -> informers.put(name, context.informer(selection)));
    }

    /**
     * The controller.
     *
     * @param names the CRDs', such as {@code websites.example.com}; not empty
     */
    public static ControllerDescriptor descriptor(List<String> names, MeterRegistry meters) {
        Map<String, Selection<V1CustomResourceDefinition>> selections = new TreeMap<>();
        names.forEach(name -> selections.put(name, selection(name)));
        ControllerDescriptor.Builder builder = ControllerDescriptor.named(NAME)
                .reconcilerFactory(context -> new StorageMigration(context, selections, meters));
        List<Selection<V1CustomResourceDefinition>> all = List.copyOf(selections.values());
        builder.forType(all.get(0), StorageMigration::mayConcernStorage);
        all.stream()
                .skip(1)
                .forEach(selection ->
                        builder.watches(selection, RequestMappers.self(), StorageMigration::mayConcernStorage));
        return builder.build();
    }

    /** One CRD: an informer is for one name, since the rights are. */
    public static Selection<V1CustomResourceDefinition> selection(String name) {
        return Selection.of(ResourceTypes.CUSTOM_RESOURCE_DEFINITION).fields("metadata.name=" + name);
    }

    /** What this notes on a CRD itself is no reason to look at it again. */
    private static boolean mayConcernStorage(ResourceEvent<V1CustomResourceDefinition> event) {
        return !(event instanceof ResourceEvent.Updated<V1CustomResourceDefinition> updated)
                || !Objects.equals(
                        updated.before().getMetadata().getGeneration(),
                        updated.object().getMetadata().getGeneration())
                || !Migration.storedVersions(updated.before()).equals(Migration.storedVersions(updated.object()));
    }

    @Override
    public Result reconcile(Request request) {
        V1CustomResourceDefinition crd = Objects.requireNonNull(informers.get(request.getName()))
                .lister()
                .get(request.getName());
        if (crd == null || crd.getMetadata().getDeletionTimestamp() != null) {
            return DONE;
        }
        try {
            return step(crd, Migration.of(crd));
        } catch (ApiException e) {
            if (e.getCode() == 409) {
                return new Result(true);
            }
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private Result step(V1CustomResourceDefinition crd, @Nullable Migration migration) throws ApiException {
        return switch (MigrationStep.of(crd, migration, clock.now())) {
            case NOTHING -> DONE;
            case TIDY -> {
                note(crd, null);
                yield DONE;
            }
            case BEGIN -> {
                begin(crd);
                yield new Result(true, MigrationStep.SETTLED);
            }
            case SETTLE -> new Result(true, PAUSE);
            case PAGE -> {
                Migration now = page(crd, Objects.requireNonNull(migration));
                yield new Result(true, now.ended() == null ? PAUSE : MigrationStep.AGAIN);
            }
            case FINISH -> {
                finish(crd, Objects.requireNonNull(migration));
                yield DONE;
            }
            case WAIT -> new Result(true, MigrationStep.AGAIN);
        };
    }

    private void begin(V1CustomResourceDefinition crd) throws ApiException {
        String to = MigrationStep.storageVersion(crd);
        log.atInfo().log(
                "{}: objects may be stored in {}; in {} s they begin to be stored again, in {}",
                crd.getMetadata().getName(),
                String.join(", ", Migration.storedVersions(crd)),
                MigrationStep.SETTLED.toSeconds(),
                to);
        note(crd, Migration.begun(crd, clock.now()));
    }

    private Migration page(V1CustomResourceDefinition crd, Migration migration) throws ApiException {
        String name = crd.getMetadata().getName();
        boolean last = failures.merge(name, 1, Integer::sum) >= TRIES;
        Migration now = rewrite(name, new StoredObjects(apiClient, storedType(crd)), migration, last);
        failures.remove(name);
        log.atInfo().log(
                "{}: {} objects are stored in {}, {} could not be, {} are to come",
                name,
                now.seen() - now.refused(),
                now.to(),
                now.refused(),
                now.next() == null ? 0 : Objects.requireNonNullElse(now.left(), "more"));
        note(crd, now);
        return now;
    }

    /**
     * Rewrites a page.
     *
     * @param last whether what fails in the API server is taken for a refusal
     */
    private Migration rewrite(String name, StoredObjects objects, Migration migration, boolean last)
            throws ApiException {
        StoredObjects.Page page;
        try {
            page = objects.page(Objects.requireNonNull(migration.next()), PAGE);
        } catch (ApiException e) {
            if (e.getCode() == GONE) {
                log.atInfo().log("{}: the API server does not know the page any more; what is left goes on", name);
                return migration.from(StoredObjects.rest(e));
            }
            if (!last || e.getCode() != FAILED) {
                throw e;
            }
            // One of the objects cannot be read: the message of its conversion names it.
            log.atWarn().log("{}: objects stay in their old version: {}", name, e.getMessage());
            return migration.after(0, List.of(String.valueOf(e.getMessage())), null, null, clock.now());
        }
        List<String> refusals = new ArrayList<>();
        for (PartialObjectMetadata object : page.objects()) {
            String refusal = objects.rewrite(object, last);
            if (refusal != null) {
                log.atWarn().log("{}: an object stays in its old version: {}", name, refusal);
                refusals.add(refusal);
            }
        }
        meters.counter(OBJECTS, "resource", name, "result", "rewritten")
                .increment(page.objects().size() - refusals.size());
        meters.counter(OBJECTS, "resource", name, "result", "refused").increment(refusals.size());
        return migration.after(
                page.objects().size(), refusals, page.next(), page.metadata().getRemainingItemCount(), clock.now());
    }

    private void finish(V1CustomResourceDefinition crd, Migration migration) throws ApiException {
        V1CustomResourceDefinition changed = crds.copy(crd);
        Objects.requireNonNull(changed.getStatus()).setStoredVersions(List.of(migration.to()));
        crds.updateStatus(changed);
        log.atInfo().log(
                "{}: all objects are stored in {}; {} may be removed from its versions",
                crd.getMetadata().getName(),
                migration.to(),
                Migration.storedVersions(crd).stream()
                        .filter(version -> !version.equals(migration.to()))
                        .collect(Collectors.joining(", ")));
    }

    private void note(V1CustomResourceDefinition crd, @Nullable Migration migration) throws ApiException {
        crds.patch(
                null,
                crd.getMetadata().getName(),
                MetadataPatch.annotation(
                        crd.getMetadata(), Migration.ANNOTATION, migration == null ? null : migration.text()));
    }

    private static ResourceType<PartialObjectMetadata> storedType(V1CustomResourceDefinition crd) {
        return new ResourceType<>(
                PartialObjectMetadata.class,
                crd.getSpec().getGroup(),
                MigrationStep.storageVersion(crd),
                crd.getSpec().getNames().getKind(),
                crd.getSpec().getNames().getPlural(),
                "Namespaced".equals(crd.getSpec().getScope()) ? Scope.NAMESPACED : Scope.CLUSTER);
    }
}
