// Package clientgo lets client-go, a client that no one here wrote, work with the embedded API server.
package clientgo

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const objects = 200

// TestInformerSeesEverythingThroughACompaction lists, watches, has its watch cut and history compacted under it, and
// compares what the informer holds with what the server holds.
func TestInformerSeesEverythingThroughACompaction(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	config := &rest.Config{Host: os.Getenv("API_SERVER"), QPS: -1}
	clients := kubernetes.NewForConfigOrDie(config)
	create := func(from, to int) {
		for i := from; i < to; i++ {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c%04d", i)}}
			if _, err := clients.CoreV1().ConfigMaps("default").Create(ctx, object, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	create(0, objects)

	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace("default"))
	informer := factory.Core().V1().ConfigMaps().Informer()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer did not sync")
	}
	if held := len(informer.GetStore().List()); held != objects {
		t.Fatalf("the informer holds %d objects after its first list, not %d", held, objects)
	}

	// The server cuts the watch while these are written, and forgets its history before the watch comes back.
	create(objects, 2*objects)
	for i := 0; i < objects; i += 2 {
		if err := clients.CoreV1().ConfigMaps("default").Delete(ctx, fmt.Sprintf("c%04d", i), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	response, err := http.Get(os.Getenv("COMPACT"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()

	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		list, err := clients.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		if len(informer.GetStore().ListKeys()) != len(list.Items) {
			return false, nil
		}
		for _, item := range list.Items {
			held, there, _ := informer.GetStore().GetByKey("default/" + item.Name)
			if !there || held.(*corev1.ConfigMap).ResourceVersion != item.ResourceVersion {
				return false, nil
			}
		}
		return len(list.Items) == objects+objects/2, nil
	})
	if err != nil {
		t.Fatalf("the informer does not hold what the server holds: %v", err)
	}
}

// recorder notes the media types of the bodies that are sent.
type recorder struct {
	next  http.RoundTripper
	types map[string]int
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		r.types[request.Header.Get("Content-Type")]++
	}
	return r.next.RoundTrip(request)
}

// TestTypedClientsWriteInProtobuf lets typed clients as they come write, and one that takes protobuf only read.
func TestTypedClientsWriteInProtobuf(t *testing.T) {
	ctx := context.Background()
	sent := &recorder{types: map[string]int{}}
	config := &rest.Config{Host: os.Getenv("API_SERVER"), QPS: -1}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		sent.next = next
		return sent
	})
	leases := kubernetes.NewForConfigOrDie(config).CoordinationV1().Leases("default")
	now := metav1.NewMicroTime(time.Now().Truncate(time.Microsecond))
	lease, err := leases.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "leader"},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new("one"), LeaseTransitions: new(int32(0)), RenewTime: &now,
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *lease.Spec.LeaseTransitions != 0 || !lease.Spec.RenewTime.Equal(&now) {
		t.Fatalf("stored as %v", lease.Spec)
	}
	lease.Spec.HolderIdentity = new("two")
	if _, err = leases.Update(ctx, lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}

	definitions := apiextensions.NewForConfigOrDie(config).ApiextensionsV1().CustomResourceDefinitions()
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "parts.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "parts", Kind: "Part"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": {
						Type: "integer", Minimum: new(1.0), Default: &apiextensionsv1.JSON{Raw: []byte("3")},
					}},
				}},
			}},
		},
	}
	definition, err = definitions.Create(ctx, definition, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	size := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["size"]
	if string(size.Default.Raw) != "3" || *size.Minimum != 1 {
		t.Fatalf("stored as %v", size)
	}
	if sent.types["application/vnd.kubernetes.protobuf"] != 3 || len(sent.types) != 1 {
		t.Fatalf("bodies were sent in %v", sent.types)
	}

	config.ContentConfig.AcceptContentTypes = "application/vnd.kubernetes.protobuf"
	read, err := kubernetes.NewForConfigOrDie(config).CoordinationV1().Leases("default").Get(ctx, "leader", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if *read.Spec.HolderIdentity != "two" {
		t.Fatalf("read as %v", read.Spec)
	}
}
