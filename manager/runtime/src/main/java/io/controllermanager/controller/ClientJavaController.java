package io.controllermanager.controller;

import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller that was built for client-java, as the host sees it.
 *
 * <p>A client-java {@code DefaultController} is re-hosted: its reconciler runs on our workers, and the keys that its
 * informers' handlers put into its own queue are moved into ours. Its {@code run()} is never called; while it is hosted
 * its worker count is zero, which makes {@code run()} return without workers if somebody else calls it.
 *
 * <p>Any other implementation keeps its own queue and workers: it is run while this process leads and shut down when it
 * does not. Such a controller cannot be run a second time.
 */
public final class ClientJavaController {

    private static final Logger log = LoggerFactory.getLogger(ClientJavaController.class);

    private static final Reconciler NEVER_CALLED = request -> new Result(false);

    private final Controller controller;
    private final String name;
    private final int workers;
    private final List<Supplier<Boolean>> readyFuncs;
    private final SeenKeys seen = new SeenKeys();

    private ClientJavaController(Controller controller, String name, int workers, List<Supplier<Boolean>> readyFuncs) {
        this.controller = controller;
        this.name = name;
        this.workers = workers;
        this.readyFuncs = readyFuncs;
    }

    /**
     * Looks at a controller.
     *
     * @param controller what is to be hosted
     * @param fallbackName the name of one that has none of its own, such as its bean's name; brought into the form that
     *     {@link ControllerDescriptor#name} wants
     */
    public static ClientJavaController of(Controller controller, String fallbackName) {
        if (controller instanceof DefaultController own) {
            String ownName = own.getName();
            return new ClientJavaController(
                    own,
                    toName(ownName == null || ownName.isBlank() ? fallbackName : ownName),
                    Math.max(1, own.getWorkerCount()),
                    readyFuncsOf(own));
        }
        return new ClientJavaController(controller, toName(fallbackName), 1, List.of());
    }

    /** Its name, in lower case letters, digits and dashes. */
    public String name() {
        return name;
    }

    /** Whether its reconciler runs on our workers. */
    public boolean rehosted() {
        return controller instanceof DefaultController;
    }

    /** A description under which the host runs it; it has no sources, since its own informers feed it. */
    public ControllerDescriptor descriptor() {
        Reconciler reconciler = controller instanceof DefaultController own ? own.getReconciler() : NEVER_CALLED;
        return new ControllerDescriptor(
                name, List.of(), context -> reconciler, ControllerOptions.DEFAULTS.withWorkers(workers), true);
    }

    /**
     * Whether the functions that it was given to wait for all say yes. They are in a private field of client-java; where
     * that cannot be read, yes.
     */
    public boolean ready() {
        for (Supplier<Boolean> readyFunc : readyFuncs) {
            if (!Boolean.TRUE.equals(readyFunc.get())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Moves its keys to somewhere else until closed, on a thread named {@code controller-manager-keys-<name>}.
     *
     * @param exists whether any informer holds an object of that name
     * @param sink takes a key and its priority in a {@link io.controllermanager.workqueue.WorkQueue}
     * @throws IllegalStateException if it is not one that is re-hosted
     */
    public KeyPump pumpTo(Predicate<Request> exists, BiConsumer<Request, Integer> sink) {
        if (controller instanceof DefaultController own) {
            return KeyPump.start(name, own, seen, exists, sink);
        }
        throw new IllegalStateException("controller \"" + name + "\" keeps its own queue");
    }

    /** Runs it with its own workers; returns when it has ended. */
    public void run() {
        controller.run();
    }

    /** Shuts it down for good. */
    public void shutdown() {
        controller.shutdown();
    }

    @SuppressWarnings("unchecked")
    private static List<Supplier<Boolean>> readyFuncsOf(DefaultController controller) {
        try {
            Field field = DefaultController.class.getDeclaredField("readyFuncs");
            field.setAccessible(true);
            @Nullable Object value = field.get(controller);
            return value == null ? List.of() : List.of((Supplier<Boolean>[]) value);
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.atInfo()
                    .addKeyValue("controller", controller.getName())
                    .addKeyValue("cause", e.toString())
                    .log(
                            "Controller {}: does not wait for its ready functions, which cannot be read: {}",
                            controller.getName(),
                            e.toString());
            return List.of();
        }
    }

    /** The form of a name that {@link ControllerDescriptor#name} wants: lower case letters, digits and dashes. */
    public static String toName(String text) {
        String name =
                text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return name.isEmpty() ? "controller" : name;
    }
}
