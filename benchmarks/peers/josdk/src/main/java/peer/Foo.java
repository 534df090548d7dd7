package peer;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;

/** A Foo, as far as the peer reads it. */
@Group("samplecontroller.k8s.io")
@Plural("foos")
@Version("v1alpha1")
public final class Foo extends CustomResource<Foo.Spec, Foo.Status> implements Namespaced {

    /** What is wanted. */
    public static final class Spec {

        /** The Deployment's name. */
        public String deploymentName;
        /** How many. */
        public Integer replicas;
    }

    /** What was found. */
    public static final class Status {

        /** How many are available. */
        public Integer availableReplicas;
    }
}
