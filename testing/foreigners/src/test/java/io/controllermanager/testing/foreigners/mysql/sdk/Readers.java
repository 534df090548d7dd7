package io.controllermanager.testing.foreigners.mysql.sdk;

import io.controllermanager.testing.foreigners.mysql.MySql;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.ResourceIDProvider;
import io.javaoperatorsdk.operator.processing.dependent.CRUDExternalBulkDependentResource;
import io.javaoperatorsdk.operator.processing.dependent.external.PerResourcePollingDependentResource;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Who may read a schema, in bulk. */
public class Readers extends PerResourcePollingDependentResource<Readers.Reader, MySqlSchema, String>
        implements CRUDExternalBulkDependentResource<Readers.Reader, MySqlSchema, String> {

    private final MySql mysql;

    /** One of them. */
    public record Reader(String schema, String name) implements ResourceIDProvider<String> {

        @Override
        public String resourceId() {
            return name;
        }
    }

    Readers(MySql mysql, Duration poll) {
        super(Reader.class, poll, Reader::resourceId);
        this.mysql = mysql;
    }

    @Override
    public Set<Reader> fetchResources(MySqlSchema schema) {
        String name = schema.getMetadata().getName();
        return mysql.readers(name).stream()
                .map(reader -> new Reader(name, reader))
                .collect(Collectors.toSet());
    }

    @Override
    public Map<String, Reader> desiredResources(MySqlSchema schema, Context<MySqlSchema> context) {
        return schema.getSpec().readers.stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        reader -> new Reader(schema.getMetadata().getName(), reader)));
    }

    @Override
    public Reader create(Reader wanted, MySqlSchema schema, Context<MySqlSchema> context) {
        mysql.grant(wanted.schema(), wanted.name());
        return wanted;
    }

    @Override
    public Reader update(Reader present, Reader wanted, MySqlSchema schema, Context<MySqlSchema> context) {
        return wanted;
    }

    @Override
    public void deleteTargetResource(MySqlSchema schema, Reader present, String name, Context<MySqlSchema> context) {
        mysql.revoke(present.schema(), name);
    }
}
