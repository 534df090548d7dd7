package io.controllermanager.testing.foreigners.mysql;

import static io.controllermanager.client.ResourceTypes.SECRET;

import io.controllermanager.external.External;
import io.controllermanager.readiness.Readiness;
import io.controllermanager.reconciler.ControllerDescription;
import io.controllermanager.reconciler.ObjectReconciler;
import io.controllermanager.reconciler.Outcome;
import io.controllermanager.reconciler.Reconciles;
import io.controllermanager.reconciler.Reconciliation;
import io.controllermanager.testing.foreigners.mysql.Readers.Reader;
import io.controllermanager.testing.foreigners.mysql.Schemas.Schema;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.models.V1Secret;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

/** Keeps a schema for each object, and those who may read it. */
@Reconciles(MySqlSchema.class)
final class MySqlSchemaReconciler implements ObjectReconciler<MySqlSchema> {

    private final External<String, Schema> schemas;
    private final External<Reader, Boolean> readers;

    MySqlSchemaReconciler(MySql mysql, Duration poll) {
        this.schemas =
                External.byName("schema", String.class, new Schemas(mysql)).pollEvery(poll);
        this.readers =
                External.byName("reader", Reader.class, new Readers(mysql)).pollEvery(poll);
    }

    @Override
    public void describe(ControllerDescription<MySqlSchema> d) {
        // The last is removed first.
        d.owns(SECRET).external(schemas).external(readers);
    }

    @Override
    public Outcome reconcile(MySqlSchema schema, Reconciliation<MySqlSchema> r) throws ApiException {
        V1Secret secret = r.create(password());
        Readiness made = r.external(schemas)
                .ensure(schema.name(), new Schema(schema.spec().encoding(), password(secret)));
        if (!made.isReady()) {
            return Outcome.of(made);
        }
        for (String name : schema.spec().readers()) {
            Readiness granted = r.external(readers).ensure(new Reader(schema.name(), name), true);
            if (!granted.isReady()) {
                return Outcome.of(granted);
            }
        }
        Readiness revoked = r.external(readers).removeOthers();
        if (!revoked.isReady()) {
            return Outcome.of(revoked);
        }
        r.status(new MySqlSchema.Status("jdbc:mysql://mysql/" + schema.name(), null));
        return Outcome.ready("Made", "the schema is there, and its readers can read it");
    }

    /** Made once: that there is one already makes another one of no use. */
    private static V1Secret password() {
        byte[] password = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
        return new V1Secret().putDataItem("password", password);
    }

    private static String password(V1Secret secret) {
        return new String(Objects.requireNonNull(secret.getData()).get("password"), StandardCharsets.UTF_8);
    }
}
