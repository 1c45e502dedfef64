#!/usr/bin/env python3
"""Attach to a running zone or process and detach, again and again: the guests never notice. Sessions end under load, commands
that enter a traced zone are traced from their first instruction, jobs stop and go on as they should, and a process that cannot
be traced is refused with the reason."""
# lxtest: timeout=300
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402

t = lxtest.Tap()
GUESTS = os.path.join(lxtest.TOP, 'tests', 'guests')
TIMES = 100
SHORT = 'lx-syscall:::entry { @n = count(); } tick-10ms { exit(0); }'


def status(pid, key):
    try:
        with open(f'/proc/{pid}/status') as f:
            return next((line.split()[1] for line in f if line.startswith(key + ':')), '')
    except OSError:
        return ''


def calm(p, what):
    """p, a restless guest, has seen nothing strange to its end."""
    try:
        out, err = p.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
    t.ok(out == 'calm\n' and p.returncode == 0, f'{what}: nothing was noticed', f'{p.returncode}\n{out}{err}')


def again_and_again(name, seconds, command, args, user):
    """Sessions one after the other, some of two at once, while the guest lives."""
    guest = lxtest.start(*command, user=user, cwd=os.path.dirname(command[-2]))
    time.sleep(0.5)
    target = args(guest)
    done = seen = 0
    end = time.monotonic() + seconds - 1.5
    while done < TIMES and time.monotonic() < end:
        two = [lxtest.start(lxtest.ZONECTL, 'dtrace', '-q', *target, '-n', SHORT, user=user) for _ in range(1 + done % 2)]
        for p in two:
            out, err = p.communicate(timeout=20)
            if p.returncode or err:
                t.ok(False, f'{name}: session {done}', err)
            seen += int(out.split()[0]) if out.split() else 0
        done += len(two)
    t.ok(done >= 10 and seen > done, f'{name}: {done} sessions have counted', seen)
    calm(guest, name)



def enter_traced_zone(user, fixed):
    """exec into a zone under a session: each of its calls counts, also the first."""
    zone = f'enter{os.getpid()}'
    r = lxtest.zonectl('run', '-d', '--name', zone, '--', 'sleep', '1000', user=user, cwd=os.path.dirname(fixed))
    out = os.path.join(lxtest.scratch(user), 'out')
    p = lxtest.start(lxtest.ZONECTL, 'dtrace', '-q', '-z', zone, '-o', out, '-n',
                     'BEGIN { printf("ready\\n"); } lx-syscall::getppid:entry, lx-syscall::getppid:return, lx-syscall::execve:entry '
                     '{ @[probefunc, probename] = count(); }', user=user)
    lxtest.wait_for(lambda: os.path.exists(out) and 'ready' in open(out).read(), 10)
    runs = [lxtest.zonectl('exec', zone, '--', fixed, 'threads', 4, 100, user=user) for _ in range(3)]
    p.send_signal(signal.SIGINT)
    p.wait(10)
    text = ' '.join(open(out).read().split())
    t.ok(not any(x.returncode for x in runs), 'commands in a traced zone run', '\n'.join(map(str, [r, *runs])))
    t.ok('execve entry 3 ' in text and 'getppid entry 1200' in text and 'getppid return 1200' in text,
         'and are traced from their first instruction', text)
    lxtest.zonectl('halt', zone, user=user)


def stop_under_load(user, fixed):
    p = lxtest.start(fixed, 'threads', 64, 100000000, user=user)
    time.sleep(0.3)
    for i in range(5):
        began = time.monotonic()
        r = lxtest.dtrace('-q', '-p', p.pid, '-n', 'lx-syscall:::entry { @[tid] = count(); } tick-100ms { exit(5); }', user=user,
                          timeout=20)
        t.ok(r.returncode == 5 and time.monotonic() - began < 10, '64 threads under load: the session ends', r)
    t.ok(lxtest.wait_for(lambda: status(p.pid, 'TracerPid') == '0', 3) and p.poll() is None, 'and they are let go')
    p.kill()
    p.communicate()


def job_control():
    # In a process group of its own: SIGTSTP stops no process of an orphaned group, which ours may be.
    p = lxtest.start('sh', '-c', 'while :; do sleep 0.02; done', preexec_fn=os.setpgrp)
    d = lxtest.start(lxtest.ZONECTL, 'dtrace', '-q', '-p', p.pid, '-n', 'lx-syscall:::entry { @ = count(); }')
    t.ok(lxtest.wait_for(lambda: status(p.pid, 'TracerPid') != '0', 10), 'a shell is traced')
    p.send_signal(signal.SIGTSTP)
    pid, st = os.waitpid(p.pid, os.WUNTRACED)
    t.ok(os.WIFSTOPPED(st) and os.WSTOPSIG(st) == signal.SIGTSTP, 'its parent sees it stop', st)
    d.send_signal(signal.SIGINT)
    d.communicate(timeout=10)
    t.ok(lxtest.wait_for(lambda: status(p.pid, 'TracerPid') == '0', 3), 'the session ends while it is stopped')
    time.sleep(0.1)
    t.eq(status(p.pid, 'State'), 'T', 'and it stays stopped')
    p.send_signal(signal.SIGCONT)
    t.ok(lxtest.wait_for(lambda: status(p.pid, 'State') != 'T', 2), 'until it is told to go on')
    p.kill()
    p.communicate()


def refusals(user):
    r = lxtest.dtrace('-n', 'BEGIN { exit(0); }', '-p', 0x3ffffffe, user=user)
    t.ok(r.returncode == 1 and '1073741822: ' in r.err and 'o such process' in r.err, 'no such process', r)
    if user and os.getuid() == 0:
        r = lxtest.dtrace('-n', 'BEGIN { exit(0); }', '-p', os.getpid(), user=user)
        t.ok(r.returncode == 1 and 'belongs to another user' in r.err, "another user's process", r)
    p = lxtest.start('strace', '-f', '-o', '/dev/null', 'sleep', '1000', user=user, preexec_fn=os.setsid)
    child = []

    def sleeps():
        out = subprocess.run(['pgrep', '-P', str(p.pid)], capture_output=True, text=True).stdout.split()
        child[:] = [int(x) for x in out if status(x, 'TracerPid') != '0' and status(x, 'Name') == 'sleep']
        return child
    lxtest.wait_for(sleeps, 10)
    r = lxtest.dtrace('-n', 'BEGIN { exit(0); }', '-p', child[0], user=user)
    t.ok(r.returncode == 1 and 'is already traced by strace (pid ' in r.err, 'a process that strace holds', r)
    os.killpg(p.pid, signal.SIGKILL)
    p.communicate()


def main():
    user = lxtest.as_user()
    seconds = 12  # enough for the first to be attached to 100 times
    for person in [None, user] if os.getuid() == 0 else [None]:
        folder = lxtest.scratch(person)
        who = person or 'us'
        for abi in ('sys64', 'sys32'):
            if (abi, 'glibc') not in lxtest.compilers():
                t.skip(f'{abi} guests', 'no compiler')
                continue
            restless = lxtest.readable(lxtest.guest(f'{GUESTS}/restless.c', abi), folder)
            if abi == 'sys64' or not person:
                again_and_again(f'{abi} process of {who}', seconds, [restless, str(seconds)], lambda g: ['-p', str(g.pid)], person)
            zone = f'calm{os.getpid()}{abi}'
            again_and_again(f'{abi} zone of {who}', seconds // 2,
                            [lxtest.ZONECTL, 'run', '--name', zone, '--', restless, str(seconds // 2)], lambda g: ['-z', zone], person)
        fixed = lxtest.readable(lxtest.guest(f'{GUESTS}/fixed.c'), folder)
        enter_traced_zone(person, fixed)
        stop_under_load(person, fixed)
        refusals(person)
    job_control()
    t.done()


main()
