package peer;

import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.util.Config;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Fills an informer of ConfigMaps, as client-java's own examples make one. */
public final class Fill {

    private Fill() {}

    /** Says of each fill how long it took, waits for a line after it, and says of the last how large the heap is. */
    public static void main(String[] args) throws Exception {
        int fills = Integer.parseInt(args[1]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ApiClient client = Config.defaultClient();
        client.setReadTimeout(0);
        CoreV1Api api = new CoreV1Api(client);
        for (int fill = 1; fill <= fills; fill++) {
            long begun = System.nanoTime();
            SharedInformerFactory factory = new SharedInformerFactory(client);
            SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(
                    params -> api.listNamespacedConfigMap(args[0])
                            .resourceVersion(params.resourceVersion)
                            .timeoutSeconds(params.timeoutSeconds)
                            .watch(params.watch)
                            .buildCall(null),
                    V1ConfigMap.class,
                    V1ConfigMapList.class);
            factory.startAllRegisteredInformers();
            while (!informer.hasSynced()) {
                Thread.sleep(1);
            }
            long took = System.nanoTime() - begun;
            System.out.println("filled " + took + " " + informer.getIndexer().listKeys().size());
            in.readLine();
            if (fill == fills) {
                // Each fourth one leaves no gaps, which count as used.
                for (int i = 0; i < 4; i++) {
                    System.gc();
                }
                Runtime runtime = Runtime.getRuntime();
                System.out.println("heap " + (runtime.totalMemory() - runtime.freeMemory()));
                in.readLine();
                informer.getIndexer();
            }
            factory.stopAllRegisteredInformers(true);
        }
        System.exit(0);
    }
}
