// Command controller-runtime is the peer that the controller manager is measured beside: it creates
// one Deployment for each Foo, scales it when the Foo is, and does nothing else unless asked to
// write the Foo's status and an Event too.
package main

import (
	"context"
	"flag"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	samplev1alpha1 "k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type creator struct {
	client.Client
	// events is nil if the Deployment is all that is to be written.
	events events.EventRecorder
}

func (c *creator) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var foo samplev1alpha1.Foo
	if err := c.Get(ctx, req.NamespacedName, &foo); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var existing appsv1.Deployment
	err := c.Get(ctx, client.ObjectKey{Namespace: foo.Namespace, Name: foo.Spec.DeploymentName}, &existing)
	if err == nil && foo.Spec.Replicas != nil && !ptr.Equal(existing.Spec.Replicas, foo.Spec.Replicas) {
		scaled := existing.DeepCopy()
		scaled.Spec.Replicas = foo.Spec.Replicas
		return ctrl.Result{}, c.Patch(ctx, scaled, client.MergeFrom(&existing))
	}
	if err == nil || !apierrors.IsNotFound(err) {
		return ctrl.Result{}, err
	}
	labels := map[string]string{"app": "nginx", "controller": foo.Name}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Name:      foo.Spec.DeploymentName,
			Namespace: foo.Namespace,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(&foo, samplev1alpha1.SchemeGroupVersion.WithKind("Foo")),
			},
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: foo.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "nginx", Image: "nginx:latest"}}},
			},
		},
	}
	if err := c.Create(ctx, deployment); err != nil || c.events == nil {
		return ctrl.Result{}, err
	}
	// An update, since a merge patch would not tell a status of 0 from none.
	foo.Status.AvailableReplicas = deployment.Status.AvailableReplicas
	if err := c.Status().Update(ctx, &foo); err != nil {
		return ctrl.Result{}, err
	}
	c.events.Eventf(&foo, nil, corev1.EventTypeNormal, "Synced", "Reconcile", "Foo synced successfully")
	return ctrl.Result{}, nil
}

func main() {
	workers := flag.Int("workers", 16, "reconciles at once")
	leaderElect := flag.Bool("leader-elect", false, "compete for a Lease, with caches filled meanwhile")
	allWrites := flag.Bool("all-writes", false, "write each Foo's status and an Event too")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	scheme := clientgoscheme.Scheme
	must(samplev1alpha1.AddToScheme(scheme))
	config := ctrl.GetConfigOrDie()
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Lease duration, renew deadline and retry period are the defaults: 15, 10 and 2 seconds.
		LeaderElection:                *leaderElect,
		LeaderElectionID:              "controller-runtime-peer",
		LeaderElectionNamespace:       "default",
		LeaderElectionReleaseOnCancel: true,
	})
	must(err)
	reconciler := &creator{Client: manager.GetClient()}
	if *allWrites {
		// The recorder of events.k8s.io: no burst, no aggregation, and as many senders as Events wait.
		reconciler.events = manager.GetEventRecorder("foo-controller")
	}
	must(ctrl.NewControllerManagedBy(manager).
		For(&samplev1alpha1.Foo{}).
		Owns(&appsv1.Deployment{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: *workers, EnableWarmup: leaderElect}).
		Complete(reconciler))
	must(manager.Start(ctrl.SetupSignalHandler()))
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "cannot run")
		os.Exit(1)
	}
}
