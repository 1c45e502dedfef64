#!/usr/bin/env python3
"""kill -9 of any part of a traced zone at any moment: what should go is gone within two seconds, what the kernel cannot clean
goes with the next command, and guests of a killed consumer or holder run on untouched."""
# lxtest: alone timeout=900
import json
import os
import random
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import lxtest  # noqa: E402
import supervise  # noqa: E402

ROUNDS = 1000 if lxtest.LONG else 200
SCRIPT = 'lx-syscall:::entry { @[probefunc] = count(); }'
VICTIMS = ['monitor', 'holder', 'init', 'consumer', 'guest']


def status(pid, key):
    try:
        with open(f'/proc/{pid}/status') as f:
            for line in f:
                if line.startswith(key + ':'):
                    return line.split()[1:]
    except OSError:
        pass
    return []


def cmdline(pid):
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            return f.read().decode(errors='replace').split('\0')
    except OSError:
        return []


def roles(consumer, monitor=None):
    """What our descendants are: role -> pids. A holder that has not executed itself yet looks like the monitor."""
    found = {}
    for pid in supervise.descendants(os.getpid()):
        ns = status(pid, 'NSpid')
        words = cmdline(pid)
        if pid == consumer:
            role = 'consumer'
        elif len(ns) > 1:
            role = 'init' if ns[-1] == '1' else 'guest'
        else:
            role = 'holder' if 'holder' in words or pid != (monitor or pid) else 'monitor'
        found.setdefault(role, []).append(pid)
    return found


def progress(pids):
    """What tells whether these guests run: their CPU time, or that they are other ones by now."""
    times = []
    for pid in pids:
        try:
            with open(f'/proc/{pid}/stat') as f:
                times.append(f.read().rpartition(')')[2].split()[11:15])
        except OSError:
            times.append(None)
    return pids, times


def runs_on(consumer):
    """True when guests are there, untraced, not stopped, and doing things."""
    def untouched():
        guests = roles(consumer).get('guest', [])
        return guests and all(status(p, 'TracerPid') in (['0'], []) and status(p, 'State')[:1] not in (['T'], ['t'])
                              for p in guests)
    if not lxtest.wait_for(untouched, 2):
        return False
    first = progress(roles(consumer).get('guest', []))
    return lxtest.wait_for(lambda: progress(roles(consumer).get('guest', [])) != first, 2)


def one_round(rng, victim, guest, name, user):
    """None, or what went wrong."""
    before = lxtest.Snapshot(name)
    r = lxtest.zonectl('run', '-d', '--name', name, '--', *guest, user=user, cwd=os.path.dirname(guest[0]))
    if r.returncode:
        return f'no zone: {r}'
    consumer = lxtest.start(lxtest.ZONECTL, 'dtrace', '-q', '-z', name, '-n', SCRIPT, user=user, stdout=-3, stderr=-3)
    monitor = next((z['monitor'] for z in json.loads(lxtest.zonectl('list', '--json', user=user).out) if z['name'] == name), None)
    # Also moments at which a part is only starting.
    time.sleep(rng.choice([0.01, 0.05, 0.2]) * rng.random() * 2)
    if victim == 'holder':
        lxtest.wait_for(lambda: roles(consumer.pid, monitor).get('holder'), 2, 0.001)
    parts = roles(consumer.pid, monitor)
    wrong = None
    if parts.get(victim):
        try:
            os.kill(rng.choice(parts[victim]), signal.SIGKILL)
        except OSError:
            pass
    if victim in ('consumer', 'holder'):
        if victim == 'holder' and not lxtest.wait_for(lambda: consumer.poll() is not None, 1):
            # It came to the holder that the monitor started next.
            consumer.send_signal(signal.SIGINT)
            consumer.wait(5)
        if not runs_on(consumer.pid):
            wrong = 'guests do not run on: ' + supervise.describe(supervise.descendants(os.getpid()))
        lxtest.zonectl('halt', name, user=user)
    elif victim == 'guest':
        # Not every guest is the zone's first command: the zone may go on.
        lxtest.zonectl('halt', name, user=user)
    try:
        consumer.wait(5)
    except Exception:
        wrong = wrong or 'the consumer does not end'
        consumer.kill()
        consumer.wait()
    left = supervise.wait_gone(2)
    if left:
        wrong = wrong or 'left running: ' + supervise.describe(left)
        supervise.end_all()
    lxtest.zonectl('list', user=user)
    files = before.leftovers(1)
    if files:
        wrong = wrong or f'left behind: {files}'
    return wrong and f'{victim} of {" ".join(map(str, guest[1:]))} killed ({sorted(parts)}): {wrong}'


def main():
    t = lxtest.Tap()
    supervise.prctl(supervise.PR_SET_CHILD_SUBREAPER, 1)
    user = lxtest.as_user()
    seed = int(os.environ.get('LXTEST_SEED', '1'))
    print(f'# seed {seed}')
    rng = random.Random(seed)
    fixed = lxtest.guest(f'{lxtest.TOP}/tests/guests/fixed.c', 'sys64', 'musl')
    fixed = lxtest.readable(fixed, lxtest.scratch(user))
    guests = [[fixed, 'forks', 1000000, 3], [fixed, 'threads', 8, 100000000], [fixed, 'vforks', 1000000]]
    people = [None, user] if os.getuid() == 0 else [user]
    bad = {v: [] for v in VICTIMS}
    for i in range(ROUNDS):
        victim = VICTIMS[i % len(VICTIMS)]
        wrong = one_round(rng, victim, rng.choice(guests), f'kill{os.getpid()}x{i}', rng.choice(people))
        if wrong:
            bad[victim].append(f'round {i}: {wrong}')
            print(f'# {bad[victim][-1]}', flush=True)
    for victim, wrongs in bad.items():
        t.ok(not wrongs, f'{ROUNDS // len(VICTIMS)} times kill -9 of a {victim}', f'{len(wrongs)} rounds went wrong')
    t.done()


main()
