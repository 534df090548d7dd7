package io.controllermanager.app.process;

import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Has test classes take turns, those too that run beside others: what they expect of a process holds on a machine that
 * does nothing else. A test that does nothing for a while takes its {@link Turn} as a parameter, to pass it meanwhile.
 */
public final class Turns implements BeforeAllCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(Turns.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        Semaphore machine = context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(Semaphore.class, key -> new Semaphore(1, true), Semaphore.class);
        // Closed with the class. A store answers for its parents as well: a nested class has the turn of the outer one.
        context.getStore(NAMESPACE).computeIfAbsent(Turn.class, key -> Turn.take(machine), Turn.class);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Turn.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return Objects.requireNonNull(context.getStore(NAMESPACE).get(Turn.class, Turn.class));
    }

    /** That no other test class runs. */
    record Turn(Semaphore machine) implements AutoCloseable {

        private static Turn take(Semaphore machine) {
            machine.acquireUninterruptibly();
            return new Turn(machine);
        }

        /** Lets other classes run while something is waited for, and returns when it has come and no other class runs. */
        void passDuring(Runnable wait) {
            machine.release();
            try {
                wait.run();
            } finally {
                machine.acquireUninterruptibly();
            }
        }

        @Override
        public void close() {
            machine.release();
        }
    }
}
