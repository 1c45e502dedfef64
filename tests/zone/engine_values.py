#!/usr/bin/env python3
"""What probes of system calls say is what the guest knows: ids inside and outside of a zone, names of threads, arguments,
results, errno, strings up to the last byte of a page, CPU time. Both ABIs, as a zone and as a plain process."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

t = lxtest.Tap()
SCRIPT = r'''
lx-syscall::getpgid:entry { printf("T %d %d %d %d %d %d %d %d %d %s %s %s cpu=%d\n", pid, tid, ppid, zpid, ztid, uid, gid, zuid,
    zgid, execname, cwd, zonename, cpu); }
lx-syscall::access:entry /arg1 == 4/ { printf("A %s %d\n", copyinstr(arg0), arg1); }
lx-syscall::access:return { printf("R access %d %d %d\n", errno, arg0, arg1); }
lx-syscall::access:entry /arg1 == 1/ { printf("never %s\n", copyinstr(arg0)); }
lx-syscall::setpriority:entry { printf("P %d %d %d\n", arg0, arg1, arg2); }
lx-syscall::setpriority:return, lx-syscall::lseek:return /errno/ { printf("R %s %d %d %d\n", probefunc, errno, arg0, arg1); }
lx-syscall::lseek:entry /(int)arg0 == -1/ { printf("L %d %d %d %s\n", args[0], args[1], args[2], probemod); }
lx-syscall::getsid:entry { printf("C %d %d\n", vtimestamp / 1000, timestamp / 1000); }
ERROR { printf("E %d %d %x\n", arg1 > 0, arg4, arg5); }
'''
KNOWS = re.compile(r'(\w+) pid (\d+) tid (\d+) ppid (\d+) uid (\d+) gid (\d+) name (\S+) cwd (\S+)')


def check(what, abi, r, text, zone):
    knows = [m.groups() for m in map(KNOWS.match, r.out.splitlines()) if m]
    rows = [line.split() for line in text.splitlines() if line.strip()]
    seen = [row[1:] for row in rows if row[0] == 'T']
    t.ok([k[0] for k in knows] == ['first', 'second', 'child'] and len(seen) == 3, f'{what}: three threads speak', f'{r}\n{text}')
    if len(seen) != 3 or len(knows) != 3:
        return
    for k, s in zip(knows, seen):
        pid, tid, _, zpid, ztid, uid, gid, zuid, zgid, name, cwd, zonename, _ = s
        t.eq((zpid, ztid, zuid, zgid, name, cwd), (k[1], k[2], k[4], k[5], k[6], k[7]), f'{what}: {k[0]}: as the guest sees it', text)
        t.ok((zonename == 'global') == (not zone) and (zone or (pid, tid, uid, gid) == (zpid, ztid, zuid, zgid)),
             f'{what}: {k[0]}: as the host sees it', s)
    t.ok(seen[0][0] == seen[1][0] and seen[0][1] != seen[1][1] and seen[2][2] == seen[0][0], f'{what}: pid, tid and ppid agree', seen)
    of = lambda key: [' '.join(row[1:]) for row in rows if row[0] == key]
    t.eq(of('A')[-1:], ['/no/such/file 4'], f'{what}: a string at the end of a page', text)
    t.eq([x for x in of('R') if x.startswith('access')][-3:], ['access 2 -2 -2', 'access 0 0 0', 'access 14 -14 -14'],
         f'{what}: errno and results', text)
    t.eq(of('E'), ['1 1 10'], f'{what}: a bad address is a fault, once', text)
    t.ok('never' not in text, f'{what}: and ends its clause')
    t.eq(of('P'), ['7777 2 3'], f'{what}: arguments')
    t.eq([x for x in of('R') if x.startswith('setp')], ['setpriority 22 -22 -22'], f'{what}: EINVAL')
    t.eq(of('L'), [f'-1 -2 1 {abi}'], f'{what}: negative arguments have their types', text)
    t.ok('lseek 9 -9 -9' in of('R'), f'{what}: EBADF', text)
    cpu = [tuple(map(int, x.split())) for x in of('C')]
    burnt = int(re.search(r'burnt (\d+)', r.out + ' burnt 0').group(1))
    t.ok(len(cpu) == 3 and abs(cpu[1][0] - cpu[0][0] - burnt) < 3000 and cpu[2][0] - cpu[1][0] < 3000 and
         cpu[2][1] - cpu[1][1] >= 30000, f'{what}: vtimestamp counts work, not sleep', (cpu, burnt))


def main():
    user = lxtest.as_user()
    for abi in ('sys64', 'sys32'):
        if (abi, 'glibc') not in lxtest.compilers():
            t.skip(f'{abi} guests', 'no compiler')
            continue
        for person in [None, user] if os.getuid() == 0 else [None]:
            folder = lxtest.scratch(person)
            guest = lxtest.readable(lxtest.guest(f'{lxtest.TOP}/tests/guests/values.c', abi), folder)
            out = os.path.join(folder, 'out')
            r = lxtest.zonectl('run', '-q', '-o', out, '--dtrace', SCRIPT, '--', guest, user=person,
                               cwd=os.path.dirname(guest))
            check(f'{abi} zone of {person or "us"}', abi, r, open(out).read() if os.path.exists(out) else '', True)
            if os.path.exists(out):
                os.unlink(out)
            r = lxtest.dtrace('-q', '-o', out, '-n', SCRIPT, '-c', guest, user=person, cwd=folder)
            check(f'{abi} process of {person or "us"}', abi, r, open(out).read() if os.path.exists(out) else '', False)
    t.done()


main()
