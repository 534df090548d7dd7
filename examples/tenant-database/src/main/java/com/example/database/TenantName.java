package com.example.database;

import io.controllermanager.types.CustomObject;
import io.controllermanager.types.CustomResource;

/** Reserves the name of a tenant in the whole cluster. Databases make it. */
@CustomResource(group = "example.com", version = "v1", namespaced = false)
public final class TenantName extends CustomObject<TenantName.Spec, Void> {

    /**
     * Whose it is.
     *
     * @param database The namespace and name of the Database.
     */
    public record Spec(String database) {}
}
