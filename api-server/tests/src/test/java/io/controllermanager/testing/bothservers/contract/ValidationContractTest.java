package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.controllermanager.testing.bothservers.TestedServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is refused of the built-in types that operators write. */
class ValidationContractTest extends Contract {

    private static final String TEMPLATE =
            "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}";

    ValidationContractTest(TestedServer server) {
        super(server);
    }

    private String all(String resource) {
        String group = switch (resource) {
            case "deployments", "replicasets", "statefulsets", "daemonsets" -> "/apis/apps/v1";
            default -> "/api/v1";
        };
        return group + "/namespaces/" + namespace + "/" + resource;
    }

    private ObjectNode object(String fields) {
        ObjectNode object = json("{"
                + fields.replace("TEMPLATE", TEMPLATE)
                        .replace("POD", "'containers':[{'name':'c','image':'i'}]")
                        .replace("%", "%%")
                + "}");
        object.withObject("/metadata").put("name", "a");
        return object;
    }

    private static void assertCause(Reply reply, String field, String message) {
        List<String> causes = new ArrayList<>();
        reply.refused(422, "Invalid")
                .node("/details/causes")
                .forEach(cause -> causes.add(cause.path("field").asText() + ": "
                        + cause.path("message").asText()));
        assertThat(causes).anyMatch(cause -> cause.startsWith(field + ": " + message.replace('\'', '"')));
    }

    /** Messages are in single quotes where they are in double quotes, and may go on. */
    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', textBlock = """
            configmaps; 'data':{'a b':''}; data[a b]; Invalid value: 'a b': a valid config key must consist of
            configmaps; 'data':{'..a':''}; data[..a]; Invalid value: '..a': must not start with
            configmaps; 'data':{'a':''},'binaryData':{'a':''}; data[a]; Invalid value: 'a': duplicate of key present in binaryData
            secrets; 'type':'kubernetes.io/tls','data':{'tls.key':'Zg=='}; data[tls.crt]; Required value
            secrets; 'type':'kubernetes.io/tls','stringData':{'tls.crt':''}; data[tls.key]; Required value
            secrets; 'type':'kubernetes.io/dockerconfigjson'; data[.dockerconfigjson]; Required value
            secrets; 'type':'kubernetes.io/dockercfg','stringData':{'x':''}; data[.dockercfg]; Required value
            secrets; 'type':'kubernetes.io/basic-auth'; data[username]; Required value
            secrets; 'type':'kubernetes.io/ssh-auth','stringData':{'x':''}; data[ssh-privatekey]; Required value
            secrets; 'type':'kubernetes.io/service-account-token'; metadata.annotations[kubernetes.io/service-account.name]; Required value
            services; 'spec':{'selector':{'a':'b'}}; spec.ports; Required value
            services; 'spec':{'ports':[{'port':80},{'port':81,'name':'b'}]}; spec.ports[0].name; Required value
            services; 'spec':{'ports':[{'port':80,'name':'a'},{'port':81,'name':'a'}]}; spec.ports[1].name; Duplicate value: 'a'
            services; 'spec':{'ports':[{'port':80,'name':'a.b'}]}; spec.ports[0].name; Invalid value: 'a.b': must not contain dots
            services; 'spec':{'ports':[{'port':80,'name':'A'}]}; spec.ports[0].name; Invalid value: 'A': a lowercase RFC 1123 label must consist of
            services; 'spec':{'ports':[{'port':80,'name':'a'},{'port':80,'name':'b'}]}; spec.ports[1]; Duplicate value: {'Name':'','Protocol':'TCP','AppProtocol':null,'Port':80,'TargetPort':0,'NodePort':0}
            services; 'spec':{'ports':[{'port':65536}]}; spec.ports[0].port; Invalid value: 65536: must be between 1 and 65535, inclusive
            services; 'spec':{'ports':[{'port':80,'targetPort':'-1'}]}; spec.ports[0].targetPort; Invalid value: '-1': must contain at least one letter (a-z)
            services; 'spec':{'ports':[{'port':80,'targetPort':70000}]}; spec.ports[0].targetPort; Invalid value: 70000: must be between
            services; 'spec':{'ports':[{'port':80,'protocol':'HTTP'}]}; spec.ports[0].protocol; Unsupported value: 'HTTP': supported values: 'SCTP', 'TCP', 'UDP'
            services; 'spec':{'type':'Some','ports':[{'port':80}]}; spec.type; Unsupported value: 'Some': supported values: 'ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'
            services; 'spec':{'type':'ExternalName'}; spec.externalName; Required value
            persistentvolumeclaims; 'spec':{'resources':{'requests':{'storage':'1Gi'}}}; spec.accessModes; Required value: at least 1 access mode is required
            persistentvolumeclaims; 'spec':{'accessModes':['Some'],'resources':{'requests':{'storage':'1Gi'}}}; spec.accessModes; Unsupported value: 'Some': supported values: 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'
            persistentvolumeclaims; 'spec':{'accessModes':['ReadWriteOnce']}; spec.resources[storage]; Required value
            pods; ^^; spec.containers; Required value
            pods; 'spec':{'containers':[]}; spec.containers; Required value
            pods; 'spec':{'containers':[{'name':'c'}]}; spec.containers[0].image; Required value
            pods; 'spec':{'containers':[{'name':'C','image':'i'}]}; spec.containers[0].name; Invalid value: 'C': a lowercase RFC 1123 label must consist of
            pods; 'spec':{'containers':[{'name':'c','image':'i'},{'name':'c','image':'j'}]}; spec.containers[1].name; Duplicate value: 'c'
            pods; 'spec':{POD,'initContainers':[{'name':'c','image':'i'}]}; spec.initContainers[0].name; Duplicate value: 'c'
            pods; 'spec':{'containers':[{'name':'c','image':'i','ports':[{'containerPort':70000}]}]}; spec.containers[0].ports[0].containerPort; Invalid value: 70000: must be between 1 and 65535, inclusive
            pods; 'spec':{'containers':[{'name':'c','image':'i','ports':[{'name':'p','containerPort':1},{'name':'p','containerPort':2}]}]}; spec.containers[0].ports[1].name; Duplicate value: 'p'
            pods; 'spec':{'containers':[{'name':'c','image':'i','ports':[{'name':'a-name-that-is-too-long','containerPort':1}]}]}; spec.containers[0].ports[0].name; Invalid value: 'a-name-that-is-too-long': must be no more than 15 characters
            pods; 'spec':{'containers':[{'name':'c','image':'i','ports':[{'containerPort':1,'protocol':'HTTP'}]}]}; spec.containers[0].ports[0].protocol; Unsupported value: 'HTTP'
            pods; 'spec':{'containers':[{'name':'c','image':'i','env':[{'value':'v'}]}]}; spec.containers[0].env[0].name; Required value
            pods; 'spec':{'containers':[{'name':'c','image':'i','env':[{'name':'E','value':'v','valueFrom':{'fieldRef':{'fieldPath':'metadata.name'}}}]}]}; spec.containers[0].env[0].valueFrom; Invalid value: '': may not be specified when `value` is not empty
            pods; 'spec':{'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'v','mountPath':'/v'}]}]}; spec.containers[0].volumeMounts[0].name; Not found: 'v'
            pods; 'spec':{'volumes':[{'name':'v','emptyDir':{}}],'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'v','mountPath':'/v'},{'name':'v','mountPath':'/v'}]}]}; spec.containers[0].volumeMounts[1].mountPath; Invalid value: '/v': must be unique
            pods; 'spec':{'volumes':[{'name':'v','emptyDir':{}},{'name':'v','emptyDir':{}}],POD}; spec.volumes[1].name; Duplicate value: 'v'
            pods; 'spec':{'volumes':[{'name':'v','emptyDir':{},'configMap':{'name':'m'}}],POD}; spec.volumes[0].configMap; Forbidden: may not specify more than 1 volume type
            pods; 'spec':{'containers':[{'name':'c','image':'i','imagePullPolicy':'Some'}]}; spec.containers[0].imagePullPolicy; Unsupported value: 'Some': supported values: 'Always', 'IfNotPresent', 'Never'
            pods; 'spec':{'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':'2'},'limits':{'cpu':'1'}}}]}; spec.containers[0].resources.requests; Invalid value: '2': must be less than or equal to cpu limit of 1
            pods; 'spec':{'containers':[{'name':'c','image':'i','resources':{'limits':{'memory':'-1Gi'}}}]}; spec.containers[0].resources.limits[memory]; Invalid value: '-1Gi': must be greater than or equal to 0
            pods; 'spec':{'containers':[{'name':'c','image':'i','resources':{'limits':{'gpu':'1'}}}]}; spec.containers[0].resources.limits[gpu]; Invalid value: 'gpu': must be a standard resource for containers
            pods; 'spec':{'containers':[{'name':'c','image':'i','readinessProbe':{'periodSeconds':3}}]}; spec.containers[0].readinessProbe; Required value: must specify a handler type
            pods; 'spec':{'restartPolicy':'Some',POD}; spec.restartPolicy; Unsupported value: 'Some': supported values: 'Always', 'OnFailure', 'Never'
            pods; 'spec':{'dnsPolicy':'Some',POD}; spec.dnsPolicy; Unsupported value: 'Some': supported values: 'ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'
            deployments; 'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}}}}; spec.template.spec.containers; Required value
            deployments; 'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'restartPolicy':'Never',POD}}}; spec.template.spec.restartPolicy; Unsupported value: 'Never': supported values: 'Always'
            deployments; 'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c'}]}}}; spec.template.spec.containers[0].image; Required value
            deployments; 'spec':{'selector':{'matchLabels':{'a':'c'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}}; spec.template.metadata.labels; Invalid value: {'a':'b'}: `selector` does not match template `labels`
            deployments; 'spec':{'selector':{},'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}}; spec.selector; Invalid value: {}: empty selector is invalid for deployment
            deployments; 'spec':{'replicas':-1,TEMPLATE}; spec.replicas; Invalid value: -1: must be greater than or equal to 0
            deployments; 'spec':{'minReadySeconds':-1,TEMPLATE}; spec.minReadySeconds; Invalid value: -1: must be greater than or equal to 0
            deployments; 'spec':{'strategy':{'type':'Recreate','rollingUpdate':{'maxSurge':1}},TEMPLATE}; spec.strategy.rollingUpdate; Forbidden: may not be specified when strategy `type` is
            replicasets; 'spec':{'replicas':-1,TEMPLATE}; spec.replicas; Invalid value: -1: must be greater than or equal to 0
            daemonsets; 'spec':{'selector':{'matchLabels':{'a':'c'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}}; spec.template.metadata.labels; Invalid value: {'a':'b'}: `selector` does not match template `labels`
            daemonsets; 'spec':{'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'},{'name':'c','image':'i'}]}}}; spec.template.spec.containers[1].name; Duplicate value: 'c'
            statefulsets; 'spec':{'volumeClaimTemplates':[{'metadata':{'name':'v'},'spec':{'accessModes':['ReadWriteOnce']}}],TEMPLATE}; spec.volumeClaimTemplates[0].spec.resources[storage]; Required value
            """)
    void refuses(String resource, String fields, String field, String message) {
        assertCause(api.create(all(resource), object(fields == null ? "" : fields)), field, message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', textBlock = """
            secrets; 'type':'kubernetes.io/tls','stringData':{'tls.crt':'','tls.key':''}
            secrets; 'type':'kubernetes.io/basic-auth','stringData':{'password':''}
            secrets; 'type':'kubernetes.io/dockerconfigjson','stringData':{'.dockerconfigjson':'{}'}
            secrets; 'type':'example.com/own'
            configmaps; 'data':{'.a':'','A_b-c.d':''}
            services; 'spec':{'clusterIP':'None'}
            services; 'spec':{'type':'ExternalName','externalName':'e.com.'}
            services; 'spec':{'ports':[{'port':80,'name':'a','protocol':'TCP'},{'port':80,'name':'b','protocol':'UDP'}]}
            pods; 'spec':{'containers':[{'name':'c','image':'i','env':[{'name':'a b/c'}],'resources':{'limits':{'example.com/gpu':1,'cpu':'1'},'requests':{'cpu':'500m'}}}]}
            pods; 'spec':{'volumes':[{'name':'v'}],'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'v','mountPath':'/v'}]}]}
            pods; 'spec':{POD,'initContainers':[{'name':'d','image':'i','restartPolicy':'Always','livenessProbe':{'exec':{'command':['x']}}}]}
            deployments; 'spec':{'strategy':{'type':'Recreate'},TEMPLATE}
            deployments; 'spec':{'strategy':{'rollingUpdate':{'maxSurge':'10%','maxUnavailable':0}},TEMPLATE}
            deployments; 'spec':{'selector':{'matchExpressions':[{'key':'a','operator':'Exists'},{'key':'x','operator':'NotIn','values':['y']}]},'template':{'metadata':{'labels':{'a':'b'}},'spec':{POD}}}
            statefulsets; 'spec':{'volumeClaimTemplates':[{'metadata':{'name':'v'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}],'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i','volumeMounts':[{'name':'v','mountPath':'/v'}]}]}}}
            """)
    void takes(String resource, String fields) {
        api.create(all(resource), object(fields)).ok();
    }

    @ParameterizedTest
    @CsvSource({"ab, 0", "Zm9vZg, 4", "Z*==, 1", "=, 0", "no base64, 2"})
    void refusesWhatIsNoBase64(String text, int at) {
        String wrong = "illegal base64 data at input byte " + at;
        ObjectNode secret = object("'data':{'k':'" + text + "'}");
        assertThat(api.create(all("secrets"), secret).refused(400, "BadRequest").message())
                .isEqualTo("Secret in version \"v1\" cannot be handled as a Secret: " + wrong);
        ObjectNode map = object("'binaryData':{'k':'" + text + "'}");
        assertThat(api.create(configMaps(), map).refused(400, "BadRequest").message())
                .endsWith(wrong);
        map.remove("binaryData");
        api.create(configMaps(), map).ok();
        map.withObject("/binaryData").put("k", text);
        api.put(configMap("a"), map).refused(400, "BadRequest");
        assertThat(api.patch(configMap("a"), Api.MERGE_PATCH, "{'binaryData':{'k':'" + text + "'}}")
                        .refused(422, "Invalid")
                        .message())
                .contains(wrong);
    }

    @Test
    void takesBase64InLines() {
        api.create(all("secrets"), object("'data':{'k':'Zm9v\\nZg=\\n=\\n'}")).ok();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', textBlock = """
            1 GB; quantities must match the regular expression
            1g; quantities must match the regular expression
            ^^; quantities must match the regular expression
            """)
    void refusesWhatIsNoQuantity(String text, String why) {
        ObjectNode pod = object("'spec':{POD}");
        pod.withObject("/spec/containers/0/resources/limits").put("memory", text);
        assertThat(api.create(all("pods"), pod).refused(400, "BadRequest").message())
                .startsWith("Pod in version \"v1\" cannot be handled as a Pod: " + why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', textBlock = """
            pods; 'spec':{POD}; 'spec':{'hostname':'h'}; spec; Forbidden: pod updates may not change fields other than `spec.containers[*].image`,
            pods; 'spec':{POD}; 'spec':{'nodeName':'n'}; spec; Forbidden: pod updates may not change fields other than
            statefulsets; 'spec':{'serviceName':'s',TEMPLATE}; 'spec':{'serviceName':'t'}; spec; Forbidden: updates to statefulset spec for fields other than
            statefulsets; 'spec':{TEMPLATE}; 'spec':{'volumeClaimTemplates':[{'metadata':{'name':'v'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}]}; spec; Forbidden: updates to statefulset spec for fields other than
            persistentvolumeclaims; 'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}; 'spec':{'resources':{'requests':{'storage':'2Gi'}}}; spec; Forbidden: spec is immutable after creation except resources.requests
            """)
    void refusesAnUpdate(String resource, String fields, String patch, String field, String message) {
        api.create(all(resource), object(fields)).ok();
        assertCause(api.patch(all(resource) + "/a", Api.MERGE_PATCH, "{" + patch + "}"), field, message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '^', textBlock = """
            pods; 'spec':{POD}; [{'op':'replace','path':'/spec/containers/0/image','value':'j'},{'op':'add','path':'/spec/activeDeadlineSeconds','value':9}]
            statefulsets; 'spec':{TEMPLATE}; [{'op':'add','path':'/spec/replicas','value':3},{'op':'replace','path':'/spec/template/spec/containers/0/image','value':'j'}]
            persistentvolumeclaims; 'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}; [{'op':'add','path':'/spec/volumeName','value':'v'}]
            """)
    void takesAnUpdate(String resource, String fields, String patch) {
        api.create(all(resource), object(fields)).ok();
        api.patch(all(resource) + "/a", Api.JSON_PATCH, patch).ok();
    }

    @Test
    void growsABoundClaim() {
        String claims = all("persistentvolumeclaims");
        api.create(
                        claims,
                        object("'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'2Gi'}}}"))
                .ok();
        api.patch(claims + "/a/status", Api.MERGE_PATCH, "{'status':{'phase':'Bound','capacity':{'storage':'2Gi'}}}")
                .ok();
        Reply grown =
                api.patch(claims + "/a", Api.MERGE_PATCH, "{'spec':{'resources':{'requests':{'storage':'3Gi'}}}}");
        // The real server asks the claim's class besides, of which it has none.
        if (server.isEmbedded()) {
            grown.ok();
        } else {
            grown.refused(403, "Forbidden");
        }
        assertCause(
                api.patch(claims + "/a", Api.MERGE_PATCH, "{'spec':{'resources':{'requests':{'storage':'1Gi'}}}}"),
                "spec.resources.requests.storage",
                "Forbidden: field can not be less than status.capacity");
        assertCause(
                api.patch(claims + "/a", Api.MERGE_PATCH, "{'spec':{'volumeMode':'Block'}}"),
                "spec",
                "Forbidden: spec is immutable after creation except resources.requests");
    }
}
