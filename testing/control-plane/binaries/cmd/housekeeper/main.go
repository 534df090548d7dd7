// Command housekeeper runs three controllers of kube-controller-manager: it collects garbage, empties
// namespaces that are deleted, and gives each namespace its service account. They are kubernetes' own,
// set up as kube-controller-manager does it, with two differences: the garbage collector looks for new
// kinds each second instead of twice a minute, and no client is throttled. The rest of
// kube-controller-manager is left out, since it takes minutes to compile. SIGTERM ends it with 0.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/controller-manager/pkg/informerfactory"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/garbagecollector"
	"k8s.io/kubernetes/pkg/controller/namespace"
	"k8s.io/kubernetes/pkg/controller/serviceaccount"
)

const (
	// How often the garbage collector looks for kinds that come and go with their CRDs.
	kindsPeriod = time.Second

	// The defaults of kube-controller-manager.
	resyncPeriod          = 12 * time.Hour
	garbageWorkers        = 20
	garbageSyncTimeout    = 30 * time.Second
	namespaceWorkers      = 10
	namespaceResyncPeriod = 5 * time.Minute
	serviceAccountWorkers = 1
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file that says where the API server is")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, *kubeconfig); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	config.ContentType = runtime.ContentTypeProtobuf
	// Deprecated kinds are watched too.
	config.WarningHandler = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	typed := informers.NewSharedInformerFactory(client, resyncPeriod)
	informed := informerfactory.NewInformerFactory(
		typed, metadatainformer.NewSharedInformerFactory(objects, resyncPeriod))
	started := make(chan struct{})
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))

	garbage, err := garbagecollector.NewGarbageCollector(
		ctx, client, objects, mapper, garbagecollector.DefaultIgnoredResources(), informed, started)
	if err != nil {
		return err
	}
	namespaces := namespace.NewNamespaceController(
		ctx, client, objects, client.Discovery().ServerPreferredNamespacedResources,
		typed.Core().V1().Namespaces(), namespaceResyncPeriod, corev1.FinalizerKubernetes)
	serviceAccounts, err := serviceaccount.NewServiceAccountsController(
		klog.FromContext(ctx), typed.Core().V1().ServiceAccounts(), typed.Core().V1().Namespaces(),
		client, serviceaccount.DefaultServiceAccountsControllerOptions())
	if err != nil {
		return err
	}

	informed.Start(ctx.Done())
	close(started)
	var running sync.WaitGroup
	running.Go(func() { wait.Until(mapper.Reset, kindsPeriod, ctx.Done()) })
	running.Go(func() { garbage.Run(ctx, garbageWorkers, garbageSyncTimeout) })
	running.Go(func() { garbage.Sync(ctx, client.Discovery(), kindsPeriod) })
	running.Go(func() { namespaces.Run(ctx, namespaceWorkers) })
	running.Go(func() { serviceAccounts.Run(ctx, serviceAccountWorkers) })
	running.Wait()
	return nil
}
