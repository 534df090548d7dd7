// Command main is the Website operator in kubebuilder's layout. kubebuilder scaffolds a longer one, with flags for metrics,
// webhooks and certificates.
package main

import (
	"flag"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	examplev1 "io.controllermanager/benchmarks/peers/website/kubebuilder/api/v1"
	"io.controllermanager/benchmarks/peers/website/kubebuilder/internal/controller"
	"io.controllermanager/benchmarks/peers/website/kubebuilder/internal/dns"
)

var (
	scheme   = runtime.NewScheme()
	setupLog = ctrl.Log.WithName("setup")
)

func init() {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(examplev1.AddToScheme(scheme))
}

func main() {
	var metricsAddr, probeAddr string
	var enableLeaderElection bool
	flag.StringVar(&metricsAddr, "metrics-bind-address", "0", "The address that metrics are served at, or 0.")
	flag.StringVar(&probeAddr, "health-probe-bind-address", ":8081", "The address that probes are served at.")
	flag.BoolVar(&enableLeaderElection, "leader-elect", false, "Whether replicas find a leader.")
	flag.Parse()
	ctrl.SetLogger(zap.New())

	// Caches hold what the operator has made, not all that the cluster has.
	made := cache.ByObject{Label: labels.SelectorFromSet(controller.MadeHere)}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: metricsAddr},
		HealthProbeBindAddress: probeAddr,
		LeaderElection:         enableLeaderElection,
		LeaderElectionID:       "website-operator",
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&corev1.ConfigMap{}:  made,
			&appsv1.Deployment{}: made,
			&corev1.Service{}:    made,
		}},
	})
	if err != nil {
		setupLog.Error(err, "Failed to start manager")
		os.Exit(1)
	}
	if err := (&controller.WebsiteReconciler{
		Client: mgr.GetClient(),
		Scheme: mgr.GetScheme(),
		Events: mgr.GetEventRecorder("website"),
		DNS:    &dns.Records{},
	}).SetupWithManager(mgr); err != nil {
		setupLog.Error(err, "Failed to create controller", "controller", "website")
		os.Exit(1)
	}
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		setupLog.Error(err, "Failed to set up health check")
		os.Exit(1)
	}
	if err := mgr.AddReadyzCheck("readyz", healthz.Ping); err != nil {
		setupLog.Error(err, "Failed to set up ready check")
		os.Exit(1)
	}
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		setupLog.Error(err, "Failed to run manager")
		os.Exit(1)
	}
}
