package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.OnBothServers;
import io.controllermanager.testing.bothservers.TestedServer;
import org.awaitility.core.ThrowingRunnable;

/** What the cases of the contract have in common: a server and a namespace of their own. */
@OnBothServers
abstract class Contract {

    static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    final TestedServer server;
    final Api api;
    final String namespace;

    Contract(TestedServer server) {
        this.server = server;
        this.api = new Api(server.client());
        this.namespace = server.createNamespace();
    }

    /** Whether the server in question differs in this. */
    boolean differs(Difference difference) {
        return server.isEmbedded() && difference != null;
    }

    /** The collection of a resource in the case's own namespace. */
    String of(String version, String plural) {
        return (version.contains("/") ? "/apis/" : "/api/") + version + "/namespaces/" + namespace + "/" + plural;
    }

    String configMaps() {
        return of("v1", "configmaps");
    }

    String configMap(String name) {
        return configMaps() + "/" + name;
    }

    String deployments() {
        return of("apps/v1", "deployments");
    }

    String deployment(String name) {
        return deployments() + "/" + name;
    }

    static ObjectNode newConfigMap(String name) {
        return json("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'%s'},'data':{'key':'value'}}", name);
    }

    static ObjectNode newConfigMap(String name, String label) {
        return json(
                "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'%s','labels':{'app':'%s'}}}", name, label);
    }

    static ObjectNode newDeployment(String name) {
        return json("""
                {'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'%s'},
                 'spec':{'selector':{'matchLabels':{'app':'a'}},
                  'template':{'metadata':{'labels':{'app':'a'}},
                   'spec':{'containers':[{'name':'main','image':'image:1','env':[{'name':'A','value':'1'}]},
                                         {'name':'side','image':'image:2'}]}}}}""", name);
    }

    Reply create(String name) {
        return api.create(configMaps(), newConfigMap(name)).ok();
    }

    void eventually(ThrowingRunnable condition) {
        await().untilAsserted(condition);
    }
}
