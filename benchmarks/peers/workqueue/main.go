// Adds, gets and finishes keys with client-go's work queue, as QueueThroughput does with ours: one queue for all
// goroutines, each adding keys that nobody else has. Prints one line per number of goroutines.
package main

import (
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/util/workqueue"
)

const keysPerGoroutine = 128

func main() {
	goroutines := flag.String("goroutines", "1,4,16", "numbers of goroutines")
	warmUp := flag.Int("warm-up", 3, "seconds before measuring")
	seconds := flag.Int("seconds", 5, "seconds of measuring")
	flag.Parse()
	for _, number := range strings.Split(*goroutines, ",") {
		n, err := strconv.Atoi(number)
		if err != nil {
			panic(err)
		}
		measure(n, *warmUp, *seconds)
	}
}

func measure(goroutines, warmUp, seconds int) {
	queue := workqueue.NewTyped[string]()
	var stop atomic.Bool
	counts := make([]struct {
		cycles atomic.Int64
		_      [56]byte
	}, goroutines)
	var running sync.WaitGroup
	for g := range goroutines {
		running.Go(func() {
			keys := make([]string, keysPerGoroutine)
			for i := range keys {
				keys[i] = fmt.Sprintf("namespace-%d/name-%d", g, i)
			}
			for i := 0; !stop.Load(); i++ {
				own := &keys[i%keysPerGoroutine]
				queue.Add(*own)
				key, _ := queue.Get()
				queue.Done(key)
				*own = key
				counts[g].cycles.Add(1)
			}
		})
	}
	sum := func() (total int64) {
		for i := range counts {
			total += counts[i].cycles.Load()
		}
		return total
	}
	time.Sleep(time.Duration(warmUp) * time.Second)
	var perSecond []float64
	cpuBefore, cyclesBefore := cpuTime(), sum()
	for range seconds {
		began, before := time.Now(), sum()
		time.Sleep(time.Second)
		perSecond = append(perSecond, float64(sum()-before)/time.Since(began).Seconds())
	}
	cpu := float64(cpuTime()-cpuBefore) / float64(sum()-cyclesBefore)
	stop.Store(true)
	running.Wait()
	var mean float64
	for _, rate := range perSecond {
		mean += rate / float64(len(perSecond))
	}
	fmt.Printf("client-go\t%d\t%.0f\t%.0f\t%.0f\n", goroutines, mean, 1e9/mean, cpu)
}

// cpuTime is the process's, so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
