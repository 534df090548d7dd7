package io.controllermanager.testing.bothservers.contract;

import static io.controllermanager.testing.bothservers.contract.Api.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.controllermanager.testing.bothservers.TestedServer;
import org.junit.jupiter.api.Test;

/** Which addresses and ports a Service gets, and keeps. */
class ServiceContractTest extends Contract {

    private static final String SERVICE =
            "{'metadata':{'name':'s'},'spec':{'selector':{'a':'b'},'ports':[{'name':'a','port':80}]}}";
    private static final String FAILED = "failed to allocate IP ";

    private final String services = of("v1", "services");
    private final String service = services + "/s";

    ServiceContractTest(TestedServer server) {
        super(server);
    }

    private Reply create(String name, String spec) {
        String object = "{'metadata':{'name':'%s'},'spec':{'ports':[{'port':80}],%s}}";
        return api.create(services, json(object, name, spec));
    }

    private Reply patch(String spec) {
        return api.patch(service, Api.MERGE_PATCH, "{'spec':" + spec + "}");
    }

    @Test
    void getsAnAddressThatNobodyOwns() {
        Reply created = api.create(services + "?fieldManager=m", json(SERVICE)).ok();
        String ip = created.at("/spec/clusterIP");
        assertThat(ip).startsWith("10.0.");
        assertThat(created.node("/spec")).isEqualTo(json("""
                {'type':'ClusterIP','clusterIP':'%1$s','clusterIPs':['%1$s'],'ipFamilies':['IPv4'],'ipFamilyPolicy':'SingleStack',
                 'internalTrafficPolicy':'Cluster','sessionAffinity':'None','selector':{'a':'b'},
                 'ports':[{'name':'a','port':80,'targetPort':80,'protocol':'TCP'}]}""", ip));
        assertThat(created.node("/metadata/managedFields").toString()).doesNotContain("f:ipFamil", "f:clusterIP");
        assertThat(create("other", "'type':'ClusterIP'").ok().at("/spec/clusterIP"))
                .isNotEqualTo(ip);
        assertThat(api.get(services + "?fieldSelector=spec.clusterIP=" + ip).names())
                .containsExactly("s");
        assertThat(api.put(service, json(SERVICE)).ok().body()).isEqualTo(created.body());
    }

    @Test
    void getsTheAddressThatItNamesIfThatIsFree() {
        assertThat(create("s", "'clusterIP':'10.0.0.9'").ok().at("/spec/clusterIPs/0"))
                .isEqualTo("10.0.0.9");
        assertThat(create("t", "'clusterIP':'10.0.0.9'").refused(422, "Invalid").message())
                .isEqualTo("Service \"t\" is invalid: spec.clusterIPs: Invalid value: [\"10.0.0.9\"]: " + FAILED
                        + "10.0.0.9: provided IP is already allocated");
        api.delete(service).ok();
        create("t", "'clusterIP':'10.0.0.9'").ok();
        api.delete(services + "/t").ok();
        assertThat(create("u", "'clusterIP':'192.168.1.1'")
                        .refused(422, "Invalid")
                        .message())
                .contains(FAILED + "192.168.1.1: the provided network does not match the current range");
        create("v", "'clusterIP':'10.0.0.0'").refused(422, "Invalid");
    }

    @Test
    void keepsItsAddress() {
        create("s", "'type':'ClusterIP'").ok();
        Reply changed = patch("{'clusterIP':'10.0.0.8'}").refused(422, "Invalid");
        assertThat(changed.message())
                .isEqualTo("Service \"s\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.0.0.8\"]: may not change"
                        + " once set");
        patch("{'clusterIP':'None','clusterIPs':['None']}").refused(422, "Invalid");
        Reply external =
                patch("{'type':'ExternalName','externalName':'example.com'}").ok();
        for (String field : new String[] {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
            assertThat(external.node("/spec").has(field)).as(field).isFalse();
        }
        assertThat(patch("{'type':'ClusterIP'}").ok().at("/spec/clusterIP")).startsWith("10.0.");
    }

    @Test
    void getsPortsOfTheNodes() {
        Reply created = create("s", "'type':'NodePort'").ok();
        int port = created.node("/spec/ports/0/nodePort").asInt();
        assertThat(port).isBetween(30_000, 32_767);
        assertThat(created.node("/metadata/managedFields").toString()).doesNotContain("f:nodePort");
        assertThat(create("t", "'type':'NodePort','ports':[{'port':80,'nodePort':" + port + "}]")
                        .refused(422, "Invalid")
                        .message())
                .isEqualTo("Service \"t\" is invalid: spec.ports[0].nodePort: Invalid value: " + port
                        + ": provided port is already allocated");
        JsonNode again = json("{'metadata':{'name':'s'},'spec':{'type':'NodePort','ports':[{'port':81}]}}");
        assertThat(api.put(service, again).ok().node("/spec/ports/0/nodePort").asInt())
                .isEqualTo(port);
        assertThat(patch("{'type':'ClusterIP'}").ok().node("/spec/ports/0").has("nodePort"))
                .isFalse();
        create("t", "'type':'NodePort','ports':[{'port':80,'nodePort':" + port + "}]")
                .ok();
    }

    @Test
    void sharesAPortBetweenProtocols() {
        Reply created = create(
                        "s",
                        "'type':'LoadBalancer','externalTrafficPolicy':'Local','ports':[{'name':'t','port':53},"
                                + "{'name':'u','port':53,'protocol':'UDP'},{'name':'o','port':54}]")
                .ok();
        JsonNode ports = created.node("/spec/ports");
        assertThat(ports.at("/0/nodePort").asInt())
                .isPositive()
                .isEqualTo(ports.at("/1/nodePort").asInt())
                .isNotEqualTo(ports.at("/2/nodePort").asInt());
        assertThat(created.node("/spec/healthCheckNodePort").asInt()).isPositive();
        assertThat(patch("{'externalTrafficPolicy':'Cluster'}")
                        .ok()
                        .node("/spec")
                        .has("healthCheckNodePort"))
                .isFalse();
        Reply without = create("t", "'type':'LoadBalancer','allocateLoadBalancerNodePorts':false")
                .ok();
        assertThat(without.node("/spec/ports/0").has("nodePort")).isFalse();
    }

    @Test
    void refusesWhatNoServiceCanHave() {
        new Cases(api, services, SERVICE).refuse("""
                spec.type='ExternalName'&spec.externalName='a.b'&spec.clusterIP='10.0.0.7'; spec.clusterIPs; Forbidden: may not be set for ExternalName services
                spec.type='NodePort'&spec.clusterIP='None'; spec.clusterIPs[0]; Invalid value: 'None': may not be set to 'None' for NodePort services
                spec.clusterIPs=['10.0.0.7']; spec.clusterIPs; Invalid value: ['10.0.0.7']: must be empty when `clusterIP` is not specified
                spec.clusterIP='10.0.0.7'&spec.clusterIPs=['x']; spec.clusterIPs[0]; Invalid value: 'x': must be a valid IP address
                spec.clusterIP='fd00::1'; spec.clusterIPs[0]; Invalid value: ['fd00::1']: IPv6 is not configured on this cluster
                spec.ipFamilies=['IPv6']; spec.ipFamilies[0]; Invalid value: 'IPv6': not configured on this cluster
                spec.ipFamilies=['IPv5']; spec.ipFamilies[0]; Unsupported value: 'IPv5': supported values: 'IPv4', 'IPv6'
                spec.ipFamilyPolicy='RequireDualStack'; spec.ipFamilyPolicy; Invalid value: 'RequireDualStack': this cluster is not configured for dual-stack services""");
    }

    @Test
    void shownWithAnAddressByADryRun() {
        Reply dry = api.create(services + "?dryRun=All", json(SERVICE)).ok();
        assertThat(dry.at("/spec/clusterIP")).startsWith("10.0.");
        api.get(service).refused(404, "NotFound");
    }
}
