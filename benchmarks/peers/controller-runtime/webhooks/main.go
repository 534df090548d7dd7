// Command webhooks is the peer that our webhooks are measured beside: a defaulter and a validator of
// Foos that do what benchmarks.webhooks.FooWebhooks does, on certificates that somebody else made.
package main

import (
	"context"
	"flag"
	"os"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	samplev1alpha1 "k8s.io/sample-controller/pkg/apis/samplecontroller/v1alpha1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type oneReplica struct{}

func (oneReplica) Default(_ context.Context, foo *samplev1alpha1.Foo) error {
	if foo.Spec.Replicas == nil {
		foo.Spec.Replicas = ptr.To(int32(1))
	}
	return nil
}

type deploymentNamed struct{}

func (deploymentNamed) ValidateCreate(_ context.Context, foo *samplev1alpha1.Foo) (admission.Warnings, error) {
	if foo.Spec.DeploymentName != "" {
		return nil, nil
	}
	missing := field.Required(field.NewPath("spec", "deploymentName"), "")
	return nil, apierrors.NewInvalid(samplev1alpha1.SchemeGroupVersion.WithKind("Foo").GroupKind(), foo.Name, field.ErrorList{missing})
}

func (v deploymentNamed) ValidateUpdate(ctx context.Context, _, foo *samplev1alpha1.Foo) (admission.Warnings, error) {
	return v.ValidateCreate(ctx, foo)
}

func (deploymentNamed) ValidateDelete(context.Context, *samplev1alpha1.Foo) (admission.Warnings, error) {
	return nil, nil
}

func main() {
	certificates := flag.String("certificates", "", "directory with tls.crt and tls.key")
	port := flag.Int("port", webhook.DefaultPort, "port of the webhooks")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*certificates, *port); err != nil {
		ctrl.Log.Error(err, "it does not run")
		os.Exit(1)
	}
}

func run(certificates string, port int) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := samplev1alpha1.AddToScheme(scheme); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:        scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{CertDir: certificates, Port: port}),
	})
	if err != nil {
		return err
	}
	err = ctrl.NewWebhookManagedBy(manager, &samplev1alpha1.Foo{}).
		WithDefaulter(oneReplica{}).WithValidator(deploymentNamed{}).Complete()
	if err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}
