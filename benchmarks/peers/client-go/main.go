// Command client-go fills an informer of ConfigMaps, as client-go's own factory makes one.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// Says of each fill how long it took, waits for a line after it, and says of the last how large the heap is.
func main() {
	namespace := os.Args[1]
	fills, err := strconv.Atoi(os.Args[2])
	must(err)
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	client, err := kubernetes.NewForConfig(config)
	must(err)
	in := bufio.NewReader(os.Stdin)
	for fill := 1; fill <= fills; fill++ {
		begun := time.Now()
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
		informer := factory.Core().V1().ConfigMaps().Informer()
		stop := make(chan struct{})
		factory.Start(stop)
		for !informer.HasSynced() {
			time.Sleep(time.Millisecond)
		}
		took := time.Since(begun)
		fmt.Println("filled", took.Nanoseconds(), len(informer.GetStore().ListKeys()))
		waitForLine(in)
		if fill == fills {
			runtime.GC()
			runtime.GC()
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			fmt.Println("heap", memory.HeapAlloc)
			waitForLine(in)
		}
		close(stop)
		factory.Shutdown()
	}
}

func waitForLine(in *bufio.Reader) {
	_, err := in.ReadString('\n')
	must(err)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
