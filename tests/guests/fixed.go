// fixed G N: G goroutines on threads of their own make N getppid calls each.
package main

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
)

func main() {
	g, _ := strconv.Atoi(os.Args[1])
	n, _ := strconv.Atoi(os.Args[2])
	var wg sync.WaitGroup
	for i := 0; i < g; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			runtime.LockOSThread()
			for k := 0; k < n; k++ {
				syscall.Syscall(syscall.SYS_GETPPID, 0, 0, 0)
			}
		}()
	}
	wg.Wait()
}
