package io.controllermanager.testing.foreigners.mysql.sdk;

import io.controllermanager.testing.foreigners.mysql.MySql;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.dependent.Deleter;
import io.javaoperatorsdk.operator.processing.dependent.Creator;
import io.javaoperatorsdk.operator.processing.dependent.Updater;
import io.javaoperatorsdk.operator.processing.dependent.external.PerResourcePollingDependentResource;
import java.time.Duration;
import java.util.Set;

/** The schema itself, outside of Kubernetes. */
public class Database extends PerResourcePollingDependentResource<Database.Schema, MySqlSchema, String>
        implements Creator<Database.Schema, MySqlSchema>, Updater<Database.Schema, MySqlSchema>, Deleter<MySqlSchema> {

    private final MySql mysql;

    /** What is known of it. */
    public record Schema(String name, String encoding) {}

    Database(MySql mysql, Duration poll) {
        super(Schema.class, poll, Schema::name);
        this.mysql = mysql;
    }

    @Override
    public Set<Schema> fetchResources(MySqlSchema schema) {
        String name = schema.getMetadata().getName();
        String encoding = mysql.encoding(name);
        return encoding == null ? Set.of() : Set.of(new Schema(name, encoding));
    }

    @Override
    protected Schema desired(MySqlSchema schema, Context<MySqlSchema> context) {
        return new Schema(schema.getMetadata().getName(), schema.getSpec().encoding);
    }

    @Override
    public Schema create(Schema wanted, MySqlSchema schema, Context<MySqlSchema> context) {
        mysql.create(wanted.name(), wanted.encoding(), Password.of(context));
        return wanted;
    }

    @Override
    public Schema update(Schema present, Schema wanted, MySqlSchema schema, Context<MySqlSchema> context) {
        mysql.encode(wanted.name(), wanted.encoding());
        return wanted;
    }

    @Override
    public void delete(MySqlSchema schema, Context<MySqlSchema> context) {
        mysql.drop(schema.getMetadata().getName());
    }
}
