package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Roles and their bindings, as an administrator writes them.
 *
 * @param api the administrator's
 * @param namespace where they are
 * @param user whom they are for
 */
record Rights(Api api, String namespace, String user) {

    static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    static final String CLUSTER_ROLES = RBAC + "/clusterroles";
    static final String CLUSTER_ROLE_BINDINGS = RBAC + "/clusterrolebindings";

    String roles() {
        return RBAC + "/namespaces/" + namespace + "/roles";
    }

    String role(String name) {
        return roles() + "/" + name;
    }

    String roleBindings() {
        return RBAC + "/namespaces/" + namespace + "/rolebindings";
    }

    static ObjectNode role(String kind, String name, String rule) {
        return json(
                "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'%s','metadata':{'name':'%s'},'rules':[{%s}]}",
                kind, name, rule);
    }

    static ObjectNode binding(String kind, String name, String roleKind, String role, String subject) {
        return json(
                "{'apiVersion':'rbac.authorization.k8s.io/v1','kind':'%s','metadata':{'name':'%s'},"
                        + "'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'%s','name':'%s'},'subjects':[{%s}]}",
                kind, name, roleKind, role, subject);
    }

    String subject() {
        return "'kind':'User','apiGroup':'rbac.authorization.k8s.io','name':'" + user + "'";
    }

    /** Grants the user a rule in the namespace. */
    void grant(String rule) {
        api.create(roles(), role("Role", "granted", rule)).ok();
        bind("granted", "Role", "granted");
    }

    /** Binds the user to a role in the namespace. */
    void bind(String name, String roleKind, String role) {
        api.create(roleBindings(), binding("RoleBinding", name, roleKind, role, subject()))
                .ok();
    }

    /** Grants the user a rule everywhere, by a ClusterRole of this name. */
    void grantEverywhere(String name, String rule) {
        api.create(CLUSTER_ROLES, role("ClusterRole", name, rule)).ok();
        bindEverywhere(name);
    }

    /** Binds the user to a ClusterRole everywhere. */
    void bindEverywhere(String name) {
        api.create(CLUSTER_ROLE_BINDINGS, binding("ClusterRoleBinding", name, "ClusterRole", name, subject()))
                .ok();
    }
}
