package io.controllermanager.testing.controlplane;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The few objects that a plane makes by itself. */
final class Manifests {

    private static final Pattern NAME = Pattern.compile("\"metadata\":\\{\"name\":\"([^\"]+)\"");

    private Manifests() {}

    static String namespace(String name) {
        return """
                {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"%s"}}
                """.formatted(name);
    }

    /** A node with nothing behind it; kwok fills in the rest. */
    static String node(String name) {
        return """
                {"apiVersion":"v1","kind":"Node","metadata":{
                  "name":"%1$s",
                  "labels":{
                    "kubernetes.io/hostname":"%1$s","kubernetes.io/os":"linux","kubernetes.io/arch":"amd64","type":"kwok"
                  },
                  "annotations":{"kwok.x-k8s.io/node":"fake"}
                }}
                """.formatted(name);
    }

    /** The name of the object without a namespace that this answer shows. */
    static String name(HttpEndpoint.Answer answer) {
        Matcher name = NAME.matcher(answer.body().replaceAll("\\s", ""));
        if (!name.find()) {
            throw new ControlPlaneException("The API server did not tell the name of what it made: " + answer.body());
        }
        return name.group(1);
    }

    /** Whether the CRD that this answer shows is served. */
    static boolean isEstablished(HttpEndpoint.Answer answer) {
        String crd = answer.body().replaceAll("\\s", "");
        return answer.isOk() && crd.contains("\"type\":\"Established\",\"status\":\"True\"");
    }

    /** Whether the scheduler would put Pods on the node that this answer describes. */
    static boolean isReadyNode(HttpEndpoint.Answer answer) {
        String node = answer.body().replaceAll("\\s", "");
        int ready = node.indexOf("\"type\":\"Ready\",\"status\":\"True\"");
        return answer.isOk() && ready >= 0 && !node.contains("node.kubernetes.io/not-ready");
    }
}
