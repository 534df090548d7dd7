package io.controllermanager.testing.controlplane;

/** Which of Kubernetes' own controllers a {@link ControlPlane} runs. */
public enum Controllers {

    /** None. The admission plugin {@code ServiceAccount} is off, or no Pod could be created. */
    NONE,

    /**
     * Three of them, in a program of our own, the housekeeper: they collect garbage, empty deleted namespaces and give
     * namespaces their service account. It takes a fraction of the time to build that kube-controller-manager takes, and
     * looks for new kinds each second.
     */
    HOUSEKEEPER,

    /**
     * All, in kube-controller-manager: Deployments get their Pods, for instance. Without it the roles {@code view}, {@code
     * edit} and {@code admin} are empty, for it collects their rules.
     */
    ALL
}
