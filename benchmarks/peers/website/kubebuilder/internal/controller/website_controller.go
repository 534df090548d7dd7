// Package controller has the reconciler of Websites.
package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	examplev1 "io.controllermanager/benchmarks/peers/website/kubebuilder/api/v1"
	"io.controllermanager/benchmarks/peers/website/kubebuilder/internal/dns"
)

const (
	finalizer     = "example.com/dns"
	readyType     = "Ready"
	hostTaken     = "HostTaken"
	secretMissing = "SecretMissing"
	nameTaken     = "NameTaken"
	hostIndex     = "spec.host"
	secretIndex   = "spec.tlsSecretName"
)

// WebsiteReconciler brings into the world what one Website asks for, and says in its status how far that is.
type WebsiteReconciler struct {
	client.Client
	Scheme *runtime.Scheme
	Events events.EventRecorder
	DNS    *dns.Records
}

// +kubebuilder:rbac:groups=example.com,resources=websites,verbs=get;list;watch;update
// +kubebuilder:rbac:groups=example.com,resources=websites/status,verbs=update
// +kubebuilder:rbac:groups=example.com,resources=websites/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps;services,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconcile is called with the name of each Website that may have changed.
func (r *WebsiteReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	site := &examplev1.Website{}
	if err := r.Get(ctx, req.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanup(ctx, site)
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		if err := r.Update(ctx, site); err != nil {
			return ctrl.Result{}, err
		}
	}
	ready, err := r.converge(ctx, site)
	if err != nil {
		ready = condition(false, "Error", err.Error())
		if apierrors.IsAlreadyExists(err) || errors.As(err, new(*controllerutil.AlreadyOwnedError)) {
			ready.Reason = nameTaken
		}
	}
	return ctrl.Result{}, errors.Join(err, r.report(ctx, site, ready))
}

func (r *WebsiteReconciler) converge(ctx context.Context, site *examplev1.Website) (metav1.Condition, error) {
	holder, err := r.holder(ctx, site)
	if err != nil {
		return metav1.Condition{}, err
	}
	if holder.UID != site.UID {
		r.DNS.Remove(site.Spec.Host, site.UID)
		return condition(false, hostTaken, "the host belongs to Website "+client.ObjectKeyFromObject(holder).String()), nil
	}
	tlsVersion := "" // Changes with the certificate.
	if name := site.Spec.TLSSecretName; name != "" {
		secret := &metav1.PartialObjectMetadata{}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		err := r.Get(ctx, client.ObjectKey{Namespace: site.Namespace, Name: name}, secret)
		if apierrors.IsNotFound(err) {
			return condition(false, secretMissing, "there is no Secret "+name), nil
		}
		if err != nil {
			return metav1.Condition{}, err
		}
		tlsVersion = secret.ResourceVersion
	}
	page := &corev1.ConfigMap{}
	if err := r.apply(ctx, site, page, func() { page.Data = pageData(site) }); err != nil {
		return metav1.Condition{}, err
	}
	deployment := &appsv1.Deployment{}
	if err := r.apply(ctx, site, deployment, func() { setDeployment(deployment, site, tlsVersion) }); err != nil {
		return metav1.Condition{}, err
	}
	service := &corev1.Service{}
	if err := r.apply(ctx, site, service, func() { setService(service, site) }); err != nil {
		return metav1.Condition{}, err
	}
	r.DNS.Publish(site.Spec.Host, site.UID)

	wanted, available := *site.Spec.Replicas, deployment.Status.AvailableReplicas
	message := fmt.Sprintf("%d of %d replicas are available", available, wanted)
	if available < wanted {
		return condition(false, "Starting", message), nil
	}
	return condition(true, "Served", message), nil
}

// apply creates or updates a child by the Website's name. The cache has those alone that bear the label, so that somebody
// else's is found when it is to be created.
func (r *WebsiteReconciler) apply(ctx context.Context, site *examplev1.Website, child client.Object, mutate func()) error {
	child.SetNamespace(site.Namespace)
	child.SetName(site.Name)
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		mutate()
		child.SetLabels(labels.Merge(child.GetLabels(), MadeHere))
		return controllerutil.SetControllerReference(site, child, r.Scheme)
	})
	return err
}

func (r *WebsiteReconciler) cleanup(ctx context.Context, site *examplev1.Website) error {
	if !controllerutil.ContainsFinalizer(site, finalizer) {
		return nil
	}
	r.DNS.Remove(site.Spec.Host, site.UID)
	controllerutil.RemoveFinalizer(site, finalizer)
	return client.IgnoreNotFound(r.Update(ctx, site))
}

// holder is the Website that has the host: the one that has had it before, else the first. Creation times have a resolution of
// a second.
func (r *WebsiteReconciler) holder(ctx context.Context, site *examplev1.Website) (*examplev1.Website, error) {
	var sites examplev1.WebsiteList
	if err := r.List(ctx, &sites, client.MatchingFields{hostIndex: site.Spec.Host}); err != nil {
		return nil, err
	}
	if len(sites.Items) == 0 {
		return site, nil
	}
	first := slices.MinFunc(sites.Items, func(a, b examplev1.Website) int {
		if isNewcomer(&a) != isNewcomer(&b) {
			if isNewcomer(&a) {
				return 1
			}
			return -1
		}
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	return &first, nil
}

func isNewcomer(site *examplev1.Website) bool {
	ready := meta.FindStatusCondition(site.Status.Conditions, readyType)
	return ready == nil || ready.Reason == hostTaken
}

func condition(ready bool, reason, message string) metav1.Condition {
	status := metav1.ConditionFalse
	if ready {
		status = metav1.ConditionTrue
	}
	return metav1.Condition{Type: readyType, Status: status, Reason: reason, Message: message}
}

// report writes the condition if it differs, and tells in an Event if its reason is another one.
func (r *WebsiteReconciler) report(ctx context.Context, site *examplev1.Website, ready metav1.Condition) error {
	before := meta.FindStatusCondition(site.Status.Conditions, ready.Type)
	if before == nil || before.Reason != ready.Reason {
		eventType := corev1.EventTypeNormal
		if ready.Reason == hostTaken || ready.Reason == secretMissing || ready.Reason == nameTaken {
			eventType = corev1.EventTypeWarning
		}
		r.Events.Eventf(site, nil, eventType, ready.Reason, "Reconcile", "%s", ready.Message)
	}
	ready.ObservedGeneration = site.Generation
	changed := meta.SetStatusCondition(&site.Status.Conditions, ready)
	if !changed && site.Status.ObservedGeneration == site.Generation {
		return nil
	}
	site.Status.ObservedGeneration = site.Generation
	return r.Status().Update(ctx, site)
}

// SetupWithManager has the manager run the reconciler.
func (r *WebsiteReconciler) SetupWithManager(mgr ctrl.Manager) error {
	indexes := map[string]func(site *examplev1.Website) string{
		hostIndex:   func(site *examplev1.Website) string { return site.Spec.Host },
		secretIndex: func(site *examplev1.Website) string { return site.Spec.TLSSecretName },
	}
	for name, value := range indexes {
		err := mgr.GetFieldIndexer().IndexField(context.Background(), &examplev1.Website{}, name, func(o client.Object) []string {
			return []string{value(o.(*examplev1.Website))}
		})
		if err != nil {
			return err
		}
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&examplev1.Website{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(r.referringTo), builder.OnlyMetadata).
		Watches(&examplev1.Website{}, handler.EnqueueRequestsFromMapFunc(r.withSameHost)).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: 4,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, time.Minute),
		}).
		Complete(r)
}

func (r *WebsiteReconciler) referringTo(ctx context.Context, secret client.Object) []reconcile.Request {
	return r.requests(ctx, client.InNamespace(secret.GetNamespace()), client.MatchingFields{secretIndex: secret.GetName()})
}

func (r *WebsiteReconciler) withSameHost(ctx context.Context, site client.Object) []reconcile.Request {
	return r.requests(ctx, client.MatchingFields{hostIndex: site.(*examplev1.Website).Spec.Host})
}

func (r *WebsiteReconciler) requests(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	var sites examplev1.WebsiteList
	if err := r.List(ctx, &sites, options...); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "cannot list Websites")
		return nil
	}
	requests := make([]reconcile.Request, len(sites.Items))
	for i := range sites.Items {
		requests[i].NamespacedName = client.ObjectKeyFromObject(&sites.Items[i])
	}
	return requests
}
