// Package clientgo lets client-go, a client that no one here wrote, work with the embedded API server.
package clientgo

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
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
	// Typed clients write protobuf otherwise, which the server does not read.
	config.ContentType = "application/json"
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
