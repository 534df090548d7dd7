package io.controllermanager.clientjava.internal;

import io.controllermanager.client.Registration;
import io.controllermanager.controller.ControllerDescriptor;
import io.controllermanager.controller.ControllerOptions;
import io.controllermanager.manager.internal.ControllerAdapter;
import io.controllermanager.manager.internal.ControllerRegistration;
import io.controllermanager.manager.internal.ControllerRunner;
import io.kubernetes.client.extended.controller.Controller;
import io.kubernetes.client.extended.controller.DefaultController;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a controller that was written for client-java one of the host's.
 *
 * <p>The host's workers call the reconciler of a client-java {@code DefaultController}. A {@link KeyPump} moves the keys that
 * its informers' handlers put into its own queue. Its {@code run()} is never called. While it is hosted its worker count is
 * zero, so that {@code run()} starts no workers if somebody else calls it.
 *
 * <p>Any other implementation keeps its own queue and workers. A {@link ClientJavaRunner} runs it while this process leads.
 */
public final class ClientJavaController implements ControllerAdapter {

    private static final Logger log = LoggerFactory.getLogger(ClientJavaController.class);

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
     * @param fallbackName the name of one that has none of its own, such as its bean's name; {@link #toName} is applied to it
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

    /** The form of a name that {@link ControllerDescriptor#name} wants: lower case letters, digits and dashes. */
    public static String toName(String text) {
        String name =
                text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
        return name.isEmpty() ? "controller" : name;
    }

    /** What the host is given: enabled, with as many workers as the controller was given. */
    public ControllerRegistration registration() {
        ControllerDescriptor descriptor = descriptor();
        return new ControllerRegistration(descriptor, descriptor.options(), true, this);
    }

    /** Describes it. It has no sources, since its own informers feed it. */
    public ControllerDescriptor descriptor() {
        Reconciler reconciler =
                controller instanceof DefaultController own ? own.getReconciler() : request -> new Result(false);
        return new ControllerDescriptor(
                name, List.of(), context -> reconciler, ControllerOptions.DEFAULTS.withWorkers(workers), true);
    }

    /** Whether the functions that it was given to wait for all say yes. */
    @Override
    public boolean ready() {
        return readyFuncs.stream().allMatch(readyFunc -> Boolean.TRUE.equals(readyFunc.get()));
    }

    @Override
    public @Nullable ControllerRunner runner(Consumer<String> ended) {
        return controller instanceof DefaultController ? null : new ClientJavaRunner(controller, name, ended);
    }

    /**
     * Moves its keys on a thread named {@code controller-manager-keys-<name>}.
     *
     * @throws IllegalStateException if it keeps its own queue
     */
    @Override
    public Registration feed(Predicate<Request> exists, BiConsumer<Request, Integer> queue) {
        if (controller instanceof DefaultController own) {
            return new KeyPump(name, own, seen, exists, queue);
        }
        throw new IllegalStateException("controller \"" + name + "\" keeps its own queue");
    }

    @Override
    public void replay(BiConsumer<Request, Integer> queue) {
        seen.replay(queue);
    }

    /** Yes: its author made them in the factory. */
    @Override
    public boolean readsOtherInformers() {
        return true;
    }

    /**
     * Reads a private field. It cannot be avoided: client-java has no getter for the functions, and only {@code run()}, which
     * starts workers, calls them. Where the field cannot be read, they are not waited for.
     */
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
}
