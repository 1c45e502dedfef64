#!/usr/bin/env python3
"""What connects to the sockets of a zone's monitor and of a user's holder and then says anything: the others are served, and no
descriptor, memory or process stays."""
# lxtest: timeout=120
import array
import glob
import os
import random
import signal
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

NAME = f'peers-{os.getpid()}'


def rundir():
    if os.getuid() == 0:
        return '/run/lxzone'
    xdg = os.environ.get('XDG_RUNTIME_DIR')
    return f'{xdg}/lxzone' if xdg else f'/tmp/lxzone-{os.getuid()}'


def message(rng, magic):
    """Any bytes of any length, none at all, or something that begins as a message does."""
    body = bytearray(rng.randbytes(rng.choice([0, 0, 1, 8, 64, 500, 1312, 5000, 70000])))
    if rng.random() < 0.5:
        struct.pack_into('<II', body, 0, *rng.choice(magic)) if len(body) >= 8 else None
    return bytes(body)


def pester(path, magic, count, seed):
    rng, kept = random.Random(seed), []
    null = os.open('/dev/null', os.O_RDONLY)
    for _ in range(count):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.setblocking(False)
        try:
            s.connect(path)
            for _ in range(rng.randrange(4)):
                fds = [null] * rng.choice([0, 0, 1, 2, 30])
                s.sendmsg([message(rng, magic)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', fds))] if fds else [])
        except OSError:
            pass
        kept.append(s)
        if len(kept) > 40 or rng.random() < 0.7:
            kept.pop(rng.randrange(len(kept))).close()
    for s in kept:
        s.close()
    os.close(null)


def size(pid):
    return len(os.listdir(f'/proc/{pid}/fd'))


def monitor(t):
    r = lxtest.zonectl('run', '-d', '--name', NAME, '--', 'sleep', '60')
    if not t.ok(r.returncode == 0, 'a zone starts', r):
        return
    lxtest.dtrace('-z', NAME, '-n', 'BEGIN { exit(0); }')  # the zone has its tracer, which a message that is right would start
    with open(f'{rundir()}/{NAME}/state.json') as f:
        pid = int(f.read().split('"monitor"')[1].strip(' :').split(',')[0])
    before = size(pid)
    for seed in range(3):
        pester(f'{rundir()}/{NAME}/ctl', [(0x4c585a31, i) for i in range(9)], 300, seed)
        r = lxtest.zonectl('exec', NAME, '--', 'echo', 'alive', timeout=20)
        t.ok(r.returncode == 0 and r.out == 'alive\n', f'seed {seed}: the monitor serves others', r)
    t.ok(lxtest.wait_for(lambda: size(pid) <= before, 3), f'it has as many descriptors as before ({before}, {size(pid)})',
         os.popen(f'ls -l /proc/{pid}/fd').read())
    r = lxtest.zonectl('halt', NAME)
    t.ok(r.returncode == 0, 'and halts', r)


def holder(t):
    c = lxtest.start(lxtest.ZONECTL, 'dtrace', '-q', '-c', 'sleep 60', '-n', 'BEGIN { printf("on\\n"); }')
    c.stdout.readline()
    pid = next(int(l) for l in lxtest.run('pgrep', '-f', '^zonectl holder$').out.split()
               if os.path.realpath(f'/proc/{l}/exe') == os.path.realpath(lxtest.ZONECTL))
    before = size(pid)
    for path in glob.glob(rundir() + '/holder-*.sock'):
        for seed in range(3):
            pester(path, [(i, 1) for i in range(13)], 300, seed)
    r = lxtest.dtrace('-q', '-c', 'true', '-n', 'syscall::execve:entry { @ = count(); }', timeout=20)
    t.ok(r.returncode == 0 and r.out.split() == ['1'], 'the holder serves others', r)
    t.ok(lxtest.wait_for(lambda: size(pid) <= before, 3), f'it has as many descriptors as before ({before}, {size(pid)})',
         os.popen(f'ls -l /proc/{pid}/fd').read())
    t.ok(c.poll() is None, 'the first session goes on')
    command = [int(x) for x in lxtest.run('pgrep', '-P', str(c.pid), '-x', 'sleep').out.split()]
    c.terminate()
    t.ok(c.wait(10) == 0, 'and ends as it is told to')
    t.ok(len(command) == 1 and os.path.exists(f'/proc/{command[0]}'), 'its command runs on', command)
    for pid in command:
        os.kill(pid, signal.SIGTERM)


def main():
    t = lxtest.Tap()
    monitor(t)
    holder(t)
    t.done()


main()
