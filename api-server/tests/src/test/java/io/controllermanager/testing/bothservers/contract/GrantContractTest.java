package io.controllermanager.testing.bothservers.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.controllermanager.testing.bothservers.TestedServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Nobody gives rights by a role or a binding that he does not have, unless he may escalate or bind. */
@Execution(ExecutionMode.CONCURRENT)
class GrantContractTest extends Contract {

    private static final String OWN = "'apiGroups':[''],'resources':['configmaps'],'verbs':['get','list']";
    private static final String MORE = "'apiGroups':[''],'resources':['configmaps'],'verbs':['list','delete','watch']";
    private static final String WRITES_ROLES = "'apiGroups':['rbac.authorization.k8s.io'],"
            + "'resources':['roles','rolebindings'],'verbs':['create','update','patch','get']";

    private final Rights rights;
    private final Api users;

    GrantContractTest(TestedServer server) {
        super(server);
        rights = new Rights(api, namespace, "jane-" + namespace);
        users = new Api(server.clientFor(rights.user()));
    }

    private void grant(String... rules) {
        rights.grant(OWN + "},{" + WRITES_ROLES + (rules.length == 0 ? "" : "},{" + String.join("},{", rules)));
        eventually(() -> users.get(rights.role("granted")).ok());
    }

    private String refusal(String what, String missing) {
        return what + " is forbidden: user \"" + rights.user()
                + "\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"
                + missing;
    }

    @Test
    void refusesARoleOfMore() {
        grant();
        assertThat(users.create(rights.roles(), Rights.role("Role", "more", MORE))
                        .refused(403, "Forbidden")
                        .message())
                .isEqualTo(refusal(
                        "roles.rbac.authorization.k8s.io \"more\"",
                        "{APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"delete\" \"watch\"]}"));
        users.create(rights.roles(), Rights.role("Role", "same", OWN)).ok();
        users.patch(
                        rights.role("same"),
                        Api.MERGE_PATCH,
                        "{'rules':[{'apiGroups':[''],'resources':['secrets'],'verbs':['get']}]}")
                .refused(403, "Forbidden");
        users.patch(rights.role("same"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .ok();
    }

    @Test
    void letsOthersRolesBeCollected() {
        grant();
        api.create(rights.roles(), Rights.role("Role", "more", MORE)).ok();
        users.patch(rights.role("more"), Api.MERGE_PATCH, "{'metadata':{'labels':{'a':'b'}}}")
                .refused(403, "Forbidden");
        users.patch(rights.role("more"), Api.MERGE_PATCH, "{'metadata':{'finalizers':['example.com/f']}}")
                .ok();
        users.patch(rights.role("more"), Api.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .ok();
    }

    @Test
    void escalates() {
        grant("'apiGroups':['rbac.authorization.k8s.io'],'resources':['roles'],'verbs':['escalate']");
        eventually(() ->
                users.create(rights.roles(), Rights.role("Role", "more", MORE)).ok());
    }

    @Test
    void refusesABindingToMore() {
        grant();
        api.create(rights.roles(), Rights.role("Role", "more", MORE)).ok();
        api.create(rights.roles(), Rights.role("Role", "same", OWN)).ok();
        eventually(() -> assertThat(users.create(
                                rights.roleBindings(),
                                Rights.binding("RoleBinding", "more", "Role", "more", rights.subject()))
                        .refused(403, "Forbidden")
                        .message())
                .isEqualTo(refusal(
                        "rolebindings.rbac.authorization.k8s.io \"more\"",
                        "{APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"delete\" \"watch\"]}")));
        eventually(() -> users.create(
                        rights.roleBindings(), Rights.binding("RoleBinding", "same", "Role", "same", rights.subject()))
                .ok());
        users.create(rights.roleBindings(), Rights.binding("RoleBinding", "none", "Role", "nowhere", rights.subject()))
                .refused(404, "NotFound");
    }

    @Test
    void bindsWhatItMayBind() {
        grant("'apiGroups':['rbac.authorization.k8s.io'],'resources':['roles'],'verbs':['bind'],"
                + "'resourceNames':['more','nowhere']");
        api.create(rights.roles(), Rights.role("Role", "more", MORE)).ok();
        api.create(
                        rights.roles(),
                        Rights.role("Role", "other", "'apiGroups':[''],'resources':['secrets'],'verbs':['get']"))
                .ok();
        eventually(() -> users.create(
                        rights.roleBindings(), Rights.binding("RoleBinding", "more", "Role", "more", rights.subject()))
                .ok());
        users.create(rights.roleBindings(), Rights.binding("RoleBinding", "none", "Role", "nowhere", rights.subject()))
                .ok();
        eventually(() -> users.create(
                        rights.roleBindings(),
                        Rights.binding("RoleBinding", "other", "Role", "other", rights.subject()))
                .refused(403, "Forbidden"));
    }
}
