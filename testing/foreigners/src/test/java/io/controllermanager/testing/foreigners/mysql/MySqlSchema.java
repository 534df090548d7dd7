package io.controllermanager.testing.foreigners.mysql;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A schema on a MySQL server. */
@CustomResource(group = "example.com", version = "v1")
public final class MySqlSchema extends CustomObject<MySqlSchema.Spec, MySqlSchema.Status> {

    /**
     * What is wanted.
     *
     * @param encoding of its text
     * @param readers who else may read it
     */
    public record Spec(String encoding, List<String> readers) {}

    /**
     * What there is.
     *
     * @param url where it is
     * @param conditions of ours
     */
    public record Status(@Nullable String url, @Nullable List<V1Condition> conditions) {}
}
