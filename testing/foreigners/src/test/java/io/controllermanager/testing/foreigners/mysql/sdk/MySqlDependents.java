package io.controllermanager.testing.foreigners.mysql.sdk;

import io.controllermanager.testing.foreigners.mysql.MySql;
import io.javaoperatorsdk.operator.api.config.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.config.dependent.DependentResourceSpec;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResource;
import io.javaoperatorsdk.operator.api.reconciler.dependent.DependentResourceFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes the dependents, which need the server. The SDK makes those that need nothing. */
@SuppressWarnings({"rawtypes", "unchecked"}) // The interface is so.
public record MySqlDependents(MySql mysql, Duration poll)
        implements DependentResourceFactory<ControllerConfiguration<?>, DependentResourceSpec> {

    @Override
    public DependentResource createFrom(DependentResourceSpec spec, ControllerConfiguration<?> configuration) {
        DependentResource own = own(spec);
        return own == null ? DependentResourceFactory.super.createFrom(spec, configuration) : own;
    }

    @Override
    public Class<?> associatedResourceType(DependentResourceSpec spec) {
        DependentResource own = own(spec);
        return own == null ? DependentResourceFactory.super.associatedResourceType(spec) : own.resourceType();
    }

    private @Nullable DependentResource own(DependentResourceSpec spec) {
        if (spec.getDependentResourceClass() == Database.class) {
            return new Database(mysql, poll);
        }
        return spec.getDependentResourceClass() == Readers.class ? new Readers(mysql, poll) : null;
    }
}
