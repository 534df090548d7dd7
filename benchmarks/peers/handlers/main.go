// Command handlers is client-go in the measurement of watch throughput: one informer of ConfigMaps with
// many handlers, each of which notes when it was told of which update. It says "synced", then "complete"
// when every handler has been told of every update, and writes what it has once a line comes on its
// standard input: how many updates came twice, the resourceVersions by number, and for each handler the
// times by number.
//
// Usage: handlers NAMESPACE HANDLERS UPDATES FILE RUN, with KUBECONFIG.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// now is the clock that System.nanoTime() reads on Linux.
func now() int64 {
	var t unix.Timespec
	must(unix.ClockGettime(unix.CLOCK_MONOTONIC, &t))
	return t.Nano()
}

type observer struct {
	run      string
	arrivals [][]int64
	versions []int64
	told     atomic.Int64
	twice    atomic.Int64
}

func (o *observer) arrived(handler int, object any) {
	at := now()
	configMap := object.(*corev1.ConfigMap)
	number, ours := strings.CutPrefix(configMap.Data["number"], o.run)
	if !ours {
		return
	}
	update, err := strconv.Atoi(number)
	must(err)
	if o.arrivals[handler][update] != 0 {
		o.twice.Add(1)
		return
	}
	o.arrivals[handler][update] = at
	version, err := strconv.ParseInt(configMap.ResourceVersion, 10, 64)
	must(err)
	atomic.StoreInt64(&o.versions[update], version)
	o.told.Add(1)
}

func (o *observer) write(name string) {
	file, err := os.Create(name)
	must(err)
	out := bufio.NewWriter(file)
	must(binary.Write(out, binary.BigEndian, o.twice.Load()))
	must(binary.Write(out, binary.BigEndian, o.versions))
	for _, handler := range o.arrivals {
		must(binary.Write(out, binary.BigEndian, handler))
	}
	must(out.Flush())
	must(file.Close())
}

func main() {
	namespace, name := os.Args[1], os.Args[4]
	handlers, err := strconv.Atoi(os.Args[2])
	must(err)
	updates, err := strconv.Atoi(os.Args[3])
	must(err)
	o := &observer{run: os.Args[5] + "-", versions: make([]int64, updates)}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	factory := informers.NewSharedInformerFactoryWithOptions(
		kubernetes.NewForConfigOrDie(config), 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	for handler := range handlers {
		o.arrivals = append(o.arrivals, make([]int64, updates))
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { o.arrived(handler, object) },
			UpdateFunc: func(_, object any) { o.arrived(handler, object) },
		})
		must(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	factory.WaitForCacheSync(stop)
	fmt.Println("synced")

	asked := make(chan struct{})
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		close(asked)
	}()
	for complete := false; ; {
		select {
		case <-asked:
			o.write(name)
			return
		case <-time.After(20 * time.Millisecond):
			if !complete && o.told.Load() == int64(handlers*updates) {
				complete = true
				fmt.Println("complete")
			}
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
