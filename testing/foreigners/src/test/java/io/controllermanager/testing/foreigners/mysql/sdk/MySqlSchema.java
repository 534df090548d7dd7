package io.controllermanager.testing.foreigners.mysql.sdk;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A schema on a MySQL server. */
@Group("example.com")
@Version("v1")
public class MySqlSchema extends CustomResource<MySqlSchema.Spec, MySqlSchema.Status> implements Namespaced {

    /** What is wanted. */
    public static class Spec {
        public String encoding = "";
        public List<String> readers = List.of();
    }

    /** What there is. */
    public static class Status {
        public @Nullable String url;
    }
}
