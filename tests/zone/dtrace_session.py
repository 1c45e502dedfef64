#!/usr/bin/env python3
"""How sessions of zonectl dtrace end, and that their targets never notice: signals, a killed consumer, a closed pipe, several
sessions at once on one process, the end of a zone. As root also for an ordinary user."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

t = lxtest.Tap()
# A target that counts its own turns, so that a stopped one shows.
LOOP = 'import os,sys,time\nwhile True:\n  os.getppid(); sys.stdout.write("."); sys.stdout.flush(); time.sleep(0.005)\n'


class Target:
    def __init__(self, user=None):
        self.p = lxtest.start(sys.executable, '-c', LOOP, user=user, stdout=subprocess.PIPE, text=False)
        self.p.stdout.read(1)
        os.set_blocking(self.p.stdout.fileno(), False)

    def alive(self):
        """It still turns, and nobody traces it."""
        def untraced():
            with open(f'/proc/{self.p.pid}/status') as f:
                return 'TracerPid:\t0' in f.read()
        if not lxtest.wait_for(untraced, 3):
            return False
        while self.p.stdout.read(65536):
            pass
        return lxtest.wait_for(lambda: self.p.stdout.read(100), 2) and self.p.poll() is None

    def end(self):
        self.p.kill()
        self.p.wait()


def traced(pid):
    with open(f'/proc/{pid}/status') as f:
        return 'TracerPid:\t0' not in f.read()


def start(user, *args, **kw):
    return lxtest.start(lxtest.ZONECTL, 'dtrace', *args, user=user, **kw)


def end_of(p, sig, target):
    lxtest.wait_for(lambda: traced(target.p.pid), 10)
    time.sleep(0.3)
    p.send_signal(sig)
    try:
        out, err = p.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        return None, out, err
    return p.returncode, out, err


def signals(user):
    target = Target(user)
    prog = 'syscall::getppid:entry { @["calls"] = count(); } END { printf("end"); }'
    for sig in (signal.SIGINT, signal.SIGTERM):
        p = start(user, '-q', '-p', target.p.pid, '-n', prog)
        code, out, err = end_of(p, sig, target)
        t.ok(code == 0 and out.startswith('\nend\n  calls ') and not err, f'{sig.name}: END fires, aggregations are printed',
             (code, out, err))
        t.ok(target.alive(), f'{sig.name}: the target goes on untraced')
    p = start(user, '-q', '-p', target.p.pid, '-n', prog)
    end_of(p, signal.SIGKILL, target)
    t.ok(target.alive(), 'a killed consumer: the target goes on untraced')
    p = start(user, '-q', '-p', target.p.pid, '-n', 'syscall::getppid:entry { printf("%d\\n", pid); }')
    p.stdout.readline()
    p.stdout.close()
    try:
        p.wait(timeout=10)
        t.ok(p.returncode in (1, -signal.SIGPIPE), 'nobody reads: it ends', p.returncode)
    except subprocess.TimeoutExpired:
        t.ok(False, 'nobody reads: it ends')
        p.kill()
    t.ok(target.alive(), 'nobody reads: the target goes on untraced')
    p.stderr.close()
    target.end()


def together(user):
    """Sessions on one process are independent of each other."""
    target = Target(user)
    sessions = []
    for i in range(4):
        sessions.append(start(user, '-q', '-p', target.p.pid, '-n', 'int n; syscall::getppid:entry { n++; } '
                              f'syscall::getppid:entry /n == {10 + i}/ {{ exit({10 + i}); }} END {{ printf("%d", n); }}'))
    for i, p in enumerate(sessions):
        out, err = p.communicate(timeout=20)
        t.eq((p.returncode, out, err), (10 + i, f'{10 + i}\n', ''), f'session {i} of 4 has counted for itself')
    t.ok(target.alive(), 'the target goes on untraced')
    p = start(user, '-q', '-p', target.p.pid, '-n', 'syscall::getppid:entry { @ = count(); } END { printf("over"); }')
    lxtest.wait_for(lambda: traced(target.p.pid), 10)
    time.sleep(0.3)
    target.end()
    out, err = p.communicate(timeout=10)
    t.ok(p.returncode == 0 and out.startswith('over\n'), "the target's end ends the session", (out, err))


def zones(user):
    z = lxtest.zonectl('run', '-d', '--', 'sh', '-c', 'while :; do echo x > /dev/null; sleep 0.05; done', user=user)
    if not t.ok(z.returncode == 0, 'a zone', z):
        return
    name = z.out.strip()
    r = lxtest.dtrace('-q', '-z', name, '-n', 'syscall::write:entry { printf("%s %s", zonename, execname); exit(3); }', user=user)
    t.eq((r.returncode, r.out), (3, f'{name} sh\n'), '-z', r)
    r = lxtest.dtrace('-q', '-z', name, '-c', '/bin/echo inside', '-n', 'syscall::write:entry /execname == "echo"/ '
                      '{ @[zonename] = count(); } END { printa("%s %@d", @); }', user=user)
    t.eq(sorted(r.out.split()), sorted(['inside', name, '1']), '-z with -c', r)
    init = lxtest.run('sh', '-c', f'{lxtest.ZONECTL} list --json', user=user)
    p = start(user, '-q', '-z', name, '-n', 'syscall::write:entry { @ = count(); } END { printf("over"); }')
    time.sleep(1)
    h = lxtest.zonectl('halt', name, user=user)
    out, err = p.communicate(timeout=20)
    t.ok(h.returncode == 0 and p.returncode == 0 and out.startswith('over\n'), "a zone's end: END fires, aggregations are printed",
         (p.returncode, out, err, init.out))


BUSY = ('sh', '-c', 'while :; do echo x > /dev/null; sleep 0.05; done')


def child_of_init(name, user):
    for z in json.loads(lxtest.zonectl('list', '--json', user=user).out):
        if z['name'] == name:
            with open(f'/proc/{z["init"]}/task/{z["init"]}/children') as f:
                return f.read().split()[0]
    return None


def lost_tracer(user):
    """The tracer is killed: what was counted, and END, are still printed."""
    target = Target(user)
    p = start(user, '-q', '-p', target.p.pid, '-n', 'syscall::getppid:entry { n++; @ = count(); } END { printf("n > 0: %d", n > 0); }')
    lxtest.wait_for(lambda: traced(target.p.pid), 10)
    time.sleep(0.5)
    with open(f'/proc/{target.p.pid}/status') as f:
        tracer = int(f.read().split('TracerPid:')[1].split()[0])
    os.kill(tracer, signal.SIGKILL)
    out, err = p.communicate(timeout=10)
    lines = out.split()
    t.ok(p.returncode == 1 and out.startswith('n > 0: 1\n') and int(lines[-1]) > 10 and
         err == 'dtrace: processing aborted: processes: the tracer has gone\n', 'a killed tracer', (p.returncode, out, err))
    t.ok(target.alive(), 'the target goes on untraced')
    target.end()


def zones_that_end(user):
    """Of two zones in one session the first ends: the other is still traced, ticks go on, exit() is heard."""
    names = [lxtest.zonectl('run', '-d', '--', *BUSY, user=user).out.strip() for _ in range(2)]
    p = start(user, '-q', '-z', names[0], '-z', names[1], '-n', 'syscall::write:entry { @[zonename] = count(); } '
              'tick-100ms { i++; } tick-100ms /i == 5 || i == 30/ { printf("tick %d\\n", i); } tick-100ms /i == 40/ { exit(9); } '
              'END { printf("end\\n"); printa("%s %@d\\n", @); }')
    p.stdout.readline()
    lxtest.zonectl('halt', names[0], user=user)
    out, err = p.communicate(timeout=30)
    count = {line.split()[0]: int(line.split()[1]) for line in out.splitlines() if line.startswith(tuple(names))}
    t.ok(p.returncode == 9 and out.startswith('tick 30\nend\n') and not err and set(count) == set(names) and
         count[names[1]] > count[names[0]] > 0, 'the first of two zones ends', (p.returncode, out, err))
    lxtest.zonectl('halt', names[1], user=user)


def inside_and_outside(user):
    """A process inside a zone is traced by the zone's tracer, whoever else looks at the zone; several zones are one session, in
    which BEGIN, tick and END count once."""
    names = [lxtest.zonectl('run', '-d', '--', *BUSY, user=user).out.strip() for _ in range(2)]
    host = lxtest.start(*BUSY, user=user)
    child = child_of_init(names[0], user)
    other = start(user, '-q', '-z', names[0], '-n', 'syscall::write:entry { @ = count(); } tick-1500ms { exit(0); } '
                  'END { printa("%@d", @); }')
    r = lxtest.dtrace('-q', '-p', child, '-p', host.pid, '-n', 'BEGIN { n = 7; } syscall::write:entry { @[zonename, n] = count(); } '
                      'tick-500ms { exit(0); } END { printa("%s %d\\n", @); }', user=user)
    t.eq(sorted(r.out.splitlines()), sorted(['', 'global 7', f'{names[0]} 7']), '-p inside and outside of a zone', r)
    out, err = other.communicate(timeout=20)
    t.ok(other.returncode == 0 and out.strip().isdigit() and int(out) >= 15, 'a session on the zone beside it', (out, err))
    r = lxtest.dtrace('-q', '-z', names[0], '-z', names[1], '-n', 'BEGIN { n = 3; @once["BEGIN"] = count(); printf("begin\\n"); } '
                      'syscall::write:entry /n == 3/ { @[zonename] = count(); } tick-300ms { @once["tick"] = count(); exit(4); } '
                      'END { @once["END"] = count(); printa("%s\\n", @); printa("%s %@d\\n", @once); }', user=user)
    t.eq((r.returncode, sorted(r.out.splitlines())), (4, sorted(['begin', *names, 'BEGIN 1', 'END 1', 'tick 1', ''])), 'two zones', r)
    r = lxtest.dtrace('-q', '-n', 'syscall::write:entry { @[zonename] = count(); } tick-300ms { exit(0); } END { printa("%s\\n", @); }',
                      user=user)
    t.ok(r.returncode == 0 and set(names) <= set(r.out.split()), 'every zone without -z, -p and -c', r)
    host.kill()
    host.communicate()
    for name in names:
        lxtest.zonectl('halt', name, user=user)


users = [None] + ([lxtest.as_user()] if os.getuid() == 0 else [])
for u in users:
    print(f'# as {u or "ourselves"}', flush=True)
    for part in (signals, together, lost_tracer, zones, inside_and_outside, zones_that_end):
        part(u)
t.done()
