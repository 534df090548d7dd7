package io.controllermanager.benchmarks.fill;

import io.controllermanager.benchmarks.plane.EtcdObjects;
import java.util.Random;
import java.util.UUID;

/** ConfigMaps of 1.3 KB as an application's deployment makes them: a file, some values, labels, managedFields. */
final class ConfigMaps {

    private static final String CREATED = "2026-01-01T00:00:00Z";

    private ConfigMaps() {}

    /** The ConfigMap of a number, the same each time but for its uid. */
    static EtcdObjects.Stored stored(String namespace, int number) {
        String name = "config-%06d".formatted(number);
        return new EtcdObjects.Stored("configmaps/" + namespace + "/" + name, """
                {"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"%s","namespace":"%s","uid":"%s",\
                "creationTimestamp":"%s","labels":{"app.kubernetes.io/instance":"release-%d",\
                "app.kubernetes.io/managed-by":"Helm","app.kubernetes.io/name":"application-%d"},\
                "annotations":{"meta.helm.sh/release-name":"release-%d","meta.helm.sh/release-namespace":"%s"},\
                "managedFields":[{"manager":"helm","operation":"Update","apiVersion":"v1","time":"%s",\
                "fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:LOG_LEVEL":{},"f:application.yaml":{},\
                "f:checksum":{}},"f:metadata":{"f:annotations":{".":{},"f:meta.helm.sh/release-name":{},\
                "f:meta.helm.sh/release-namespace":{}},"f:labels":{".":{},"f:app.kubernetes.io/instance":{},\
                "f:app.kubernetes.io/managed-by":{},"f:app.kubernetes.io/name":{}}}}}]},\
                "data":{"LOG_LEVEL":"info","application.yaml":"%s","checksum":"%s"}}""".formatted(
                        name,
                        namespace,
                        UUID.randomUUID(),
                        CREATED,
                        number / 10,
                        number % 20,
                        number / 10,
                        namespace,
                        CREATED,
                        file(number),
                        checksum(number)));
    }

    private static String file(int number) {
        return """
                server:\\n  port: 8080\\n  shutdown: graceful\\nspring:\\n  application:\\n    name: application-%d\\n\
                  datasource:\\n    url: jdbc:postgresql://database-%d.example.svc:5432/app\\n    username: \\"app\\"\\n\
                management:\\n  endpoints:\\n    web:\\n      exposure:\\n        include: health,prometheus\\n""".formatted(number % 20, number);
    }

    private static String checksum(int number) {
        byte[] bytes = new byte[32];
        new Random(number).nextBytes(bytes);
        return java.util.HexFormat.of().formatHex(bytes);
    }
}
