package io.controllermanager.testing.controlplane.junit;

/**
 * A namespace that no other test uses. It stays until the control plane goes.
 *
 * @param name its name, never seen before
 */
public record FreshNamespace(String name) {

    @Override
    public String toString() {
        return name;
    }
}
