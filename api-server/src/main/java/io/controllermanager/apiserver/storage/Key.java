package io.controllermanager.apiserver.storage;

/**
 * Where an object is.
 *
 * @param resource {@code plural.group} of its collection
 * @param namespace empty for an object outside of namespaces
 * @param name its name
 */
public record Key(String resource, String namespace, String name) {

    /** Its place in the order of a list, which is etcd's. */
    public String path() {
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }
}
