// uname from eight goroutines while the garbage collector keeps signalling their threads: prints how many answers were wrong.
package main

import (
	"fmt"
	"runtime"
	"syscall"
)

func main() {
	runtime.GOMAXPROCS(4)
	done := make(chan int)
	for g := 0; g < 8; g++ {
		go func() {
			bad := 0
			for i := 0; i < 1000; i++ {
				var u syscall.Utsname
				if e := syscall.Uname(&u); e != nil || u.Release[0] != '4' {
					bad++
				}
			}
			done <- bad
		}()
	}
	go func() {
		for {
			runtime.GC()
		}
	}()
	sum := 0
	for g := 0; g < 8; g++ {
		sum += <-done
	}
	fmt.Println("bad", sum, "cpus", runtime.NumCPU())
}
