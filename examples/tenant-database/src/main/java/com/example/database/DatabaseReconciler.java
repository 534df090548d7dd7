package com.example.database;

import static io.controllermanager.client.ResourceTypes.JOB;
import static io.controllermanager.client.ResourceTypes.PERSISTENT_VOLUME_CLAIM;
import static io.controllermanager.client.ResourceTypes.SECRET;
import static io.controllermanager.client.ResourceTypes.SERVICE;
import static io.controllermanager.client.ResourceTypes.STATEFUL_SET;

import com.example.database.Tenants.Tenant;
import io.controllermanager.client.ResourceType;
import io.controllermanager.external.External;
import io.controllermanager.external.ExternalSystem;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.reconciler.Cleaner;
import io.controllermanager.reconciler.Conditions;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.Index;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.schedule.Schedule;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Brings into the world what one Database asks for, stage by stage, and takes it away in order. */
@Component
@Reconciles(Database.class)
class DatabaseReconciler implements ObjectReconciler<Database>, Cleaner<Database> {

    private static final ResourceType<DatabaseClass> CLASS = ResourceType.of(DatabaseClass.class);
    private static final Index<Database> BY_CLASS =
            Index.of("class", database -> database.spec().className());
    private static final String RUNNING = "Running";
    private static final String INITIALISED = "Initialised";
    private static final String SCHEDULED = "BackupsScheduled";

    private final External<String, Tenant> tenants;

    DatabaseReconciler(ExternalSystem.ByName<String, Tenant> tenants) {
        this.tenants = External.byName("tenant", String.class, tenants)
                .pollAllEvery(Duration.ofSeconds(30))
                .limit(20, 20)
                .adopts((present, wanted) -> present.database().equals(wanted.database()));
    }

    @Override
    public void describe(ControllerDescription<Database> d) {
        d.owns(ResourceType.of(TenantName.class))
                .owns(SECRET)
                .in()
                .owns(PERSISTENT_VOLUME_CLAIM)
                .retained()
                .adopts(Children::isGivenAway)
                .owns(STATEFUL_SET)
                .teardown()
                .owns(JOB)
                .owns(SERVICE)
                .labels(Map.of("app.kubernetes.io/managed-by", "tenant-database-operator"))
                .prunes()
                .references(CLASS, database -> database.spec().className())
                .budget(BY_CLASS, 5, DatabaseReconciler::serves)
                .external(tenants)
                .schedules()
                .progressDeadline(Duration.ofMinutes(10));
    }

    /** Whether its users can work; accounting is another matter. */
    private static boolean serves(Database database) {
        return Stream.of(RUNNING, INITIALISED)
                .map(stage -> Conditions.of(database, stage))
                .allMatch(condition -> condition != null && "True".equals(condition.getStatus()));
    }

    @Override
    public Outcome reconcile(Database database, Reconciliation<Database> r) throws ApiException {
        String className = database.spec().className();
        DatabaseClass databaseClass = r.find(CLASS, className);
        if (databaseClass == null) {
            return Outcome.blocked("ClassMissing", "there is no DatabaseClass " + className);
        }
        Children children = new Children(database, databaseClass.spec());
        backUp(database, children, r);
        r.apply(children.tenantName());
        V1Secret admin = r.create(children.admin());
        V1Secret script = r.apply(children.script(admin));
        r.apply(children.volume(Children.BACKUPS));
        Readiness stored = r.stage("Stored", r.ready(r.apply(children.volume(Children.DATA))));
        if (!stored.isReady()) {
            return Outcome.of(stored);
        }
        r.apply(children.governing());
        Readiness running = r.stage(RUNNING, r.ready(r.apply(children.server())));
        if (!running.isReady()) {
            return Outcome.of(running);
        }
        Readiness initialised = r.stage(INITIALISED, r.ready(r.apply(children.initialisation(script))));
        if (!initialised.isReady()) {
            return Outcome.of(initialised);
        }
        r.apply(children.service());
        r.status(new Database.Status(null, children.endpoint(), lastBackup(r), null));
        for (Database.User user : database.spec().users()) {
            r.apply(children.login(user, admin));
        }
        r.pruneOthers();
        String tenant = database.spec().tenant();
        Readiness registered = r.stage(
                "Registered", r.external(tenants).ensure(tenant, new Tenant(tenant, className, children.owner())));
        if (!registered.isReady()) {
            return Outcome.of(registered);
        }
        return Outcome.ready("Serving", "the database answers at " + children.endpoint());
    }

    /**
     * First of all, so that copies are made also while a change waits for a slot or accounting is down. The Service is there
     * once the database is initialised.
     */
    private static void backUp(Database database, Children children, Reconciliation<Database> r) throws ApiException {
        Database.Backups backups = database.spec().backups();
        Schedule schedule = schedule(backups, r);
        V1StatefulSet server = r.child(STATEFUL_SET, database.name());
        boolean serving = server != null && r.ready(server).isReady() && r.child(SERVICE, database.name()) != null;
        if (schedule != null && serving) {
            r.scheduled("backup", schedule, slot -> r.create(children.backup(slot, server)));
            r.keepLatest(JOB, backups.keep(), Children::isBackup);
        }
    }

    private static @Nullable Schedule schedule(Database.@Nullable Backups backups, Reconciliation<Database> r) {
        if (backups == null || backups.suspended()) {
            r.condition(SCHEDULED, false, "NotWanted", "spec.backups asks for no copies");
            return null;
        }
        try {
            Schedule schedule = Schedule.cron(backups.schedule(), ZoneId.of(backups.zone()));
            r.condition(SCHEDULED, true, "Scheduled", "copies are made as spec.backups says");
            return schedule;
        } catch (IllegalArgumentException | DateTimeException e) {
            r.condition(SCHEDULED, false, "ScheduleInvalid", "spec.backups cannot be followed: " + e.getMessage());
            return null;
        }
    }

    private static @Nullable String lastBackup(Reconciliation<Database> r) {
        return r.children(JOB).stream()
                .filter(job -> Children.isBackup(job) && r.ready(job).isReady())
                .map(Children::slotOf)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    /** The row goes first, so that nobody is billed for what is going. What is torn down goes after it. The volumes stay. */
    @Override
    public Outcome cleanup(Database database, Reconciliation<Database> r) throws ApiException {
        Readiness row = r.external(tenants).remove();
        return row.isReady() ? Outcome.done() : Outcome.of(row);
    }
}
