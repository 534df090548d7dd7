// Package clientgo lets client-go, a client that no one here wrote, work with the embedded API server.
package clientgo

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
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

// call is what an informer told its handler of one object.
type call struct {
	kind, version, data string
}

// lines are the connections of one client.
type lines struct {
	mutex sync.Mutex
	open  []net.Conn
}

func (l *lines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.open = append(l.open, connection)
	}
	return connection, err
}

func (l *lines) cut() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, connection := range l.open {
		_ = connection.Close()
	}
	l.open = nil
}

// calls notes all that an informer tells, by object and in order.
type calls struct {
	mutex  sync.Mutex
	byName map[string][]call
}

func (c *calls) note(kind string, object any) {
	if unknown, ok := object.(cache.DeletedFinalStateUnknown); ok {
		kind, object = kind+" unseen", unknown.Obj
	}
	configMap := object.(*corev1.ConfigMap)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.byName[configMap.Name] = append(c.byName[configMap.Name],
		call{kind, configMap.ResourceVersion, configMap.Data["state"]})
}

func (c *calls) OnAdd(object any, initial bool) {
	if initial {
		c.note("listed", object)
	} else {
		c.note("added", object)
	}
}
func (c *calls) OnUpdate(before, object any) {
	// A new list is told of whole; what is as it was is no change.
	if before.(*corev1.ConfigMap).ResourceVersion != object.(*corev1.ConfigMap).ResourceVersion {
		c.note("updated", object)
	}
}
func (c *calls) OnDelete(object any) { c.note("deleted", object) }

// kinds gives what was told of an object, without versions, once versions are found to grow with each call but the
// deletions that were not seen themselves, and none comes twice.
func (c *calls) kinds(t *testing.T, name string) string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var kinds []string
	last := 0
	for _, call := range c.byName[name] {
		version, err := strconv.Atoi(call.version)
		if err != nil {
			t.Fatal(err)
		}
		unseen := strings.HasSuffix(call.kind, "unseen")
		if unseen && version != last || !unseen && version <= last {
			t.Fatalf("%s was told of as %v", name, c.byName[name])
		}
		last = version
		kinds = append(kinds, strings.TrimSpace(call.kind+" "+call.data))
	}
	return strings.Join(kinds, ", ")
}

func (c *calls) total() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	total := 0
	for _, of := range c.byName {
		total += len(of)
	}
	return total
}

// server is where the embedded API server is, which has an authority where it speaks TLS.
func server(t *testing.T) *rest.Config {
	authority, err := base64.StdEncoding.DecodeString(os.Getenv("AUTHORITY"))
	if err != nil {
		t.Fatal(err)
	}
	return &rest.Config{Host: os.Getenv("API_SERVER"), TLSClientConfig: rest.TLSClientConfig{CAData: authority}, QPS: -1}
}

// TestInformerSeesEverythingThroughACompaction lists and watches. Its watch is cut, and refused until history is
// compacted, with changes before and after the cut: what it missed only a new list can tell. What the informer tells of
// each object is compared with what became of it.
func TestInformerSeesEverythingThroughACompaction(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	limit, err := time.ParseDuration(os.Getenv("LIMIT"))
	if err != nil {
		t.Fatal(err)
	}
	config := server(t)
	configMaps := kubernetes.NewForConfigOrDie(config).CoreV1().ConfigMaps("default")
	lines := &lines{}
	informing := rest.CopyConfig(config)
	informing.Dial = lines.dial
	clients := kubernetes.NewForConfigOrDie(informing)
	expected := map[string]string{}
	name := func(i int) string { return fmt.Sprintf("c%04d", i) }
	object := func(i int, state string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name(i)}, Data: map[string]string{"state": state}}
	}
	create := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			if _, err := configMaps.Create(ctx, object(i, "new"), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	update := func(from, to int, state string) {
		t.Helper()
		for i := from; i < to; i++ {
			if _, err := configMaps.Update(ctx, object(i, state), metav1.UpdateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := configMaps.Delete(ctx, name(i), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	expect := func(from, to int, told string) {
		for i := from; i < to; i++ {
			expected[name(i)] = told
		}
	}
	control := func(what string) {
		t.Helper()
		response, err := http.Post(os.Getenv("CONTROL")+what, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusNoContent {
			t.Fatalf("%s: %s", what, response.Status)
		}
	}
	create(0, objects)

	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace("default"))
	informer := factory.Core().V1().ConfigMaps().Informer()
	told := &calls{byName: map[string][]call{}}
	if _, err := informer.AddEventHandler(told); err != nil {
		t.Fatal(err)
	}
	toldSoFar := func(count int) {
		t.Helper()
		err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, limit, true,
			func(context.Context) (bool, error) { return told.total() >= count, nil })
		if err != nil {
			t.Fatalf("the informer told of %d changes, not %d: %v", told.total(), count, err)
		}
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		t.Fatal("the informer did not sync")
	}
	toldSoFar(objects)

	// Seen by the watch, change for change.
	update(0, objects/2, "seen")
	create(objects, objects+10)
	remove(0, 10)
	toldSoFar(objects + objects/2 + 20)

	// One more that the watch tells of; then it is cut, and does not come back before all that follows is history that is
	// gone.
	create(2*objects, 2*objects+1)
	toldSoFar(objects + objects/2 + 21)
	control("refuse")
	lines.cut()
	control("await-refusal")
	update(20, objects/2, "missed")
	update(20, objects/2, "missed too")
	remove(objects/2, objects-10)
	remove(2*objects, 2*objects+1)
	create(objects+10, 2*objects)
	remove(objects+10, objects+20)
	// Deleted and made again: another object under the same name.
	remove(objects-10, objects)
	create(objects-10, objects)
	control("compact")
	create(2*objects+1, 2*objects+2)
	control("admit")

	expect(0, 10, "listed new, updated seen, deleted seen")
	expect(10, 20, "listed new, updated seen")
	expect(20, objects/2, "listed new, updated seen, updated missed too")
	expect(objects/2, objects-10, "listed new, deleted unseen new")
	expect(objects-10, objects, "listed new, updated new")
	expect(objects, objects+10, "added new")
	expect(objects+20, 2*objects, "added new")
	expect(2*objects, 2*objects+1, "added new, deleted unseen new")
	expect(2*objects+1, 2*objects+2, "added new")
	count := 0
	for _, story := range expected {
		count += strings.Count(story, ",") + 1
	}
	toldSoFar(count)

	// The watch after the new list works as the first one did, and nothing comes late or twice before its last event.
	create(3*objects, 3*objects+1)
	expect(3*objects, 3*objects+1, "added new")
	toldSoFar(count + 1)
	if len(told.byName) != len(expected) || told.total() != count+1 {
		t.Errorf("%d objects and %d changes were told of, not %d and %d",
			len(told.byName), told.total(), len(expected), count+1)
	}
	for name, story := range expected {
		if got := told.kinds(t, name); got != story {
			t.Errorf("of %s the informer told: %s; not: %s", name, got, story)
		}
	}

	list, err := configMaps.List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if held := len(informer.GetStore().ListKeys()); held != len(list.Items) {
		t.Errorf("the informer holds %d objects, the server %d", held, len(list.Items))
	}
	for _, item := range list.Items {
		held, there, _ := informer.GetStore().GetByKey("default/" + item.Name)
		if !there || held.(*corev1.ConfigMap).ResourceVersion != item.ResourceVersion {
			t.Errorf("of %s the informer holds %v", item.Name, held)
		}
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
	config := server(t)
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
