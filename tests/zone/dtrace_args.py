#!/usr/bin/env python3
"""args[] are typed by the call: what they point to in the guest is read where a program asks for it, in the layout of the call's
ABI, also where one clause matches both."""
import os
import platform
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

SCRIPT = r'''
#pragma D option quiet

syscall::nanosleep:entry
{
	printf("sleep %d %d\n", args[0]->tv_sec, args[0]->tv_nsec);
}

syscall::openat:entry
/args[1] == "/nosuch/file"/
{
	self->path = args[1];
	printf("openat %d %s %d %d\n", args[0], stringof(args[1]), strlen(args[1]), args[2] == (O_RDWR | O_CLOEXEC));
}

syscall::openat:return
/self->path != NULL && errno == ENOENT/
{
	printf("openat %d %s %c\n", args[0], basename(stringof(self->path)), self->path[1]);
	self->path = 0;
}

syscall::writev:entry
/(int)arg0 == -1/
{
	this->v = args[1] + 1;
	printf("writev %d %d %s\n", args[1]->iov_len, this->v->iov_len, copyinstr((uintptr_t)args[1][1].iov_base, 4));
}

syscall::execve:entry
/args[0] == "/nosuch/program"/
{
	printf("execve %s %s %d\n", stringof(args[1][1]), stringof(args[1][2]), args[1][3] == NULL);
}

syscall::uname:entry
{
	self->u = args[0];
}

syscall::uname:return
/self->u/
{
	this->copy = *self->u;
	printf("uname %s %s %d\n", self->u->sysname, stringof(this->copy.nodename), sizeof(this->copy.release));
	@[self->u->sysname, stringof(self->u->sysname)] = count();
	self->u = 0;
}

END
{
	printa("%s %s %@d\n", @);
}

ERROR
{
	printf("fault %d at %d\n", arg4, arg5);
}
'''

WANT = f'''sleep 0 1234567
openat -100 /nosuch/file 12 1
openat -2 file n
writev 3 5 def
execve first second 1
uname Linux {platform.node()} 65
fault 1 at 8
Linux Linux 1
'''


def main():
    t = lxtest.Tap()
    folder = lxtest.scratch()
    script = f'{folder}/x.d'
    with open(script, 'w') as f:
        f.write(SCRIPT)
    for abi in ('sys64', 'sys32'):
        guest = lxtest.guest(f'{lxtest.TOP}/tests/dtrace/triggers/typed.c', abi, 'glibc')
        r = lxtest.dtrace('-s', script, '-c', guest)
        t.eq(r.out.strip(), WANT.strip(), f'typed arguments of {abi}', r)
    t.done()


main()
