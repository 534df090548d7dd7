package peer;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** Fills an informer of ConfigMaps with the HTTP client that fabric8 chooses. */
public final class Fill {

    private Fill() {}

    /** Says of each fill how long it took, waits for a line after it, and says of the last how large the heap is. */
    public static void main(String[] args) throws Exception {
        int fills = Integer.parseInt(args[1]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        KubernetesClient client = new KubernetesClientBuilder().build();
        for (int fill = 1; fill <= fills; fill++) {
            long begun = System.nanoTime();
            SharedIndexInformer<ConfigMap> informer =
                    client.configMaps().inNamespace(args[0]).runnableInformer(0);
            informer.start();
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
            informer.stop();
        }
        client.close();
        System.exit(0);
    }
}
