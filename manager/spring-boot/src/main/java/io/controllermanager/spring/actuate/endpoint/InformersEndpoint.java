package io.controllermanager.spring.actuate.endpoint;

import io.controllermanager.informer.internal.InformerStatus;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** How each informer is: what it holds, how fresh that is, and what went wrong last. */
@Endpoint(id = "informers", defaultAccess = Access.READ_ONLY)
public class InformersEndpoint {

    private final Supplier<List<InformerStatus>> informers;

    /** With where the informers' state is asked for. */
    public InformersEndpoint(Supplier<List<InformerStatus>> informers) {
        this.informers = informers;
    }

    /** All informers. */
    @ReadOperation
    public InformersDescriptor informers() {
        return new InformersDescriptor(informers.get());
    }

    /**
     * What the endpoint returns.
     *
     * @param informers all informers, by resource
     */
    public record InformersDescriptor(List<InformerStatus> informers) {}
}
