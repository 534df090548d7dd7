package io.controllermanager.reconciler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import org.junit.jupiter.api.Test;

class ReconciledClassTest {

    private interface Named<A, T extends KubernetesObject> extends ObjectReconciler<T> {}

    private abstract static class Base<T extends KubernetesObject, B> implements Named<B, T> {}

    private abstract static class OfGadgets extends Base<Gadget, String> {}

    private abstract static class OfAnything<T extends KubernetesObject> implements ObjectReconciler<T> {}

    @Reconciles(V1ConfigMap.class)
    private static final class Wrong extends OfGadgets {

        @Override
        public Outcome reconcile(Gadget object, Reconciliation<Gadget> reconciliation) {
            return Outcome.done();
        }
    }

    @Reconciles(V1ConfigMap.class)
    private static final class OfAllKinds extends OfAnything<KubernetesObject> {

        @Override
        public Outcome reconcile(KubernetesObject object, Reconciliation<KubernetesObject> reconciliation) {
            return Outcome.done();
        }
    }

    @Test
    void isFoundThroughSuperclassesAndInterfaces() {
        assertThat(DeclaredClass.ofReconciled(OfGadgets.class)).isEqualTo(Gadget.class);
        assertThat(DeclaredClass.ofReconciled(GadgetReconciler.class)).isEqualTo(Gadget.class);
        assertThat(DeclaredClass.ofReconciled(OfAnything.class)).isNull();
        assertThat(DeclaredClass.ofReconciled(String.class)).isNull();
    }

    @Test
    void mustBeTheOneThatTheAnnotationNames() {
        assertThatThrownBy(() -> TypedController.descriptor(new Wrong()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("@Reconciles names " + V1ConfigMap.class.getName() + ", but " + Wrong.class.getName()
                        + " is an ObjectReconciler<Gadget>: name the same class in both");
        assertThat(TypedController.descriptor(new OfAllKinds()).name()).isEqualTo("configmap");
    }
}
