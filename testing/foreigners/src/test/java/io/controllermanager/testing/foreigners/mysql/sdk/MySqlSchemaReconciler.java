package io.controllermanager.testing.foreigners.mysql.sdk;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.Workflow;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Dependent;

/** Keeps a schema for each object, and those who may read it. */
@Workflow(
        dependents = {
            @Dependent(name = "password", type = Password.class),
            @Dependent(name = "database", type = Database.class, dependsOn = "password"),
            @Dependent(name = "readers", type = Readers.class, dependsOn = "database")
        })
@ControllerConfiguration
public class MySqlSchemaReconciler implements Reconciler<MySqlSchema> {

    @Override
    public UpdateControl<MySqlSchema> reconcile(MySqlSchema schema, Context<MySqlSchema> context) {
        MySqlSchema applied = new MySqlSchema();
        applied.setMetadata(new ObjectMetaBuilder()
                .withName(schema.getMetadata().getName())
                .withNamespace(schema.getMetadata().getNamespace())
                .build());
        applied.setStatus(new MySqlSchema.Status());
        applied.getStatus().url = "jdbc:mysql://mysql/" + schema.getMetadata().getName();
        return UpdateControl.patchStatus(applied);
    }
}
