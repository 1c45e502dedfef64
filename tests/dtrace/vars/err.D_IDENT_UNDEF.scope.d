/* A name of the kernel. */

BEGIN { trace(vmlinux`jiffies); }
