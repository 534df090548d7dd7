package io.controllermanager.spring.autoconfigure;

import io.controllermanager.spring.config.ConfigurationError;
import io.controllermanager.spring.config.ConfigurationException;
import java.util.Collection;
import java.util.List;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ApplicationContext;

/**
 * The Leases that a context's host competes for, noted at the root of its contexts. A second host among them would wait for
 * the first one's Lease for ever.
 */
record LeaseClaims(ApplicationContext context) {

    private static final String NAME = "controllerManagerLease ";

    /**
     * Notes Leases.
     *
     * @throws ConfigurationException if another context's host competes for one of them
     */
    void take(Collection<String> leases) {
        DefaultSingletonBeanRegistry root = root();
        for (String lease : leases) {
            if (root.getSingleton(NAME + lease) instanceof String other) {
                throw new ConfigurationException(List.of(new ConfigurationError(
                        "controller-manager.leader-election.resource-name",
                        lease,
                        null,
                        "the application contexts \"" + other + "\" and \"" + context.getId()
                                + "\" both have controllers, and the second would never get the first one's Lease: set"
                                + " another name in one of them")));
            }
        }
        leases.forEach(lease -> root.registerSingleton(NAME + lease, String.valueOf(context.getId())));
    }

    /** Forgets them. */
    void release(Collection<String> leases) {
        leases.forEach(lease -> root().destroySingleton(NAME + lease));
    }

    private DefaultSingletonBeanRegistry root() {
        ApplicationContext root = context;
        for (ApplicationContext parent = root.getParent(); parent != null; parent = root.getParent()) {
            root = parent;
        }
        return (DefaultSingletonBeanRegistry) root.getAutowireCapableBeanFactory();
    }
}
