#!/usr/bin/env python3
"""Runs every test and says how many passed, failed and were skipped.

A test is a program that speaks TAP, found by its place:

  tests/house, zone, linker    *.py and *.sh
  tests/unit                   test_*.c, built by meson (cmocka)
  tests/fuzz                   fuzz_*.c, built by meson: a short seeded run
  tests/lx                     *.c: a guest, compiled here for both ABIs and two C libraries, run natively and in zones
  tests/dtrace/AREA            tst.*.d with tst.*.out, err.D_TAG.*.d, err.*.d

tests/README.md says how each kind is written. A test that exits with 77 is skipped; a skip that tests/allowed-skips does
not list counts as a failure. Each program runs under a supervisor that ends whatever it leaves running, and fails it.
"""
import argparse
import os
import select
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
import discover  # noqa: E402
import supervise  # noqa: E402
import tap  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Screen:
    """Progress: a line that is rewritten on a terminal; elsewhere a line per program, and one when nothing ends for long."""

    def __init__(self, total):
        self.total, self.done, self.tty, self.spoke = total, 0, sys.stdout.isatty(), time.monotonic()

    def status(self, running):
        """What runs, and for how long if that is long; called each second."""
        now = time.monotonic()
        text = ', '.join(test.name + (f' {now - began:.0f} s' if now - began >= 2 else '') for test, _, began in running)
        text = f'[{self.done}/{self.total}] {text}'
        if self.tty:
            cols = os.get_terminal_size().columns
            sys.stdout.write('\r\033[K' + text[:cols - 1])
            sys.stdout.flush()
        elif now - self.spoke >= 30:
            self.spoke = now
            print(text + ' ...', flush=True)

    def finished(self, test, results, seconds):
        self.done += 1
        self.spoke = time.monotonic()
        bad = sum(r.state == 'failed' for r in results)
        skip = sum(r.state == 'skipped' for r in results)
        if self.tty:
            sys.stdout.write('\r\033[K')
            if not bad:
                return
        word = 'FAILED' if bad else 'skipped' if skip == len(results) else 'ok'
        print(f'[{self.done}/{self.total}] {word} {test.name} ({len(results)} tests, {seconds:.1f} s)', flush=True)


def parse_args():
    ap = argparse.ArgumentParser(description='run the tests')
    ap.add_argument('--build', default=os.environ.get('LXZONE_BUILD', os.path.join(TOP, 'build')),
                    help='build folder')
    ap.add_argument('-k', metavar='PATTERN', action='append', default=[],
                    help='only programs whose name contains or matches PATTERN (repeatable)')
    ap.add_argument('-j', type=int, default=2, metavar='N', help='programs at a time (2)')
    ap.add_argument('--list', action='store_true', help='print the names and stop')
    ap.add_argument('--long', action='store_true', help='long forms too')
    ap.add_argument('--timeout', type=int, default=120, metavar='SECONDS', help='for each program (120)')
    ap.add_argument('-v', action='store_true', help='show the output of every program')
    return ap.parse_args()


def run_all(tests, args, skips, screen):
    """Keeps up to -j programs running; those marked `alone` run by themselves, last."""
    queue = [t for t in tests if not t.alone] + [t for t in tests if t.alone]
    running, results = {}, []
    try:
        supervise_all(queue, running, results, args, skips, screen)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGTERM)
        for pid in running:
            os.waitpid(pid, 0)
    return results


def wait_any(pids, tick):
    """The next of pids that ends, and its status; tick() is called each second until then."""
    fds = [os.pidfd_open(pid) for pid in pids]
    try:
        while True:
            tick()
            if select.select(fds, [], [], 1)[0]:
                return os.wait()
    finally:
        for fd in fds:
            os.close(fd)


def supervise_all(queue, running, results, args, skips, screen):
    while queue or running:
        while queue and len(running) < args.j and not (running and (queue[0].alone or
                                                                    any(t.alone for t, *_ in running.values()))):
            test = queue.pop(0)
            log = tempfile.TemporaryFile()
            running[supervise.start(test, log, args.timeout)] = (test, log, time.monotonic())
        pid, status = wait_any(running, lambda: screen.status(running.values()))
        if pid not in running:
            continue
        test, log, began = running.pop(pid)
        log.seek(0)
        text = log.read().decode(errors='replace')
        log.close()
        code = os.waitstatus_to_exitcode(status)
        rs = tap.parse(test.name, text, code, skips)
        results += rs
        screen.finished(test, rs, time.monotonic() - began)
        if args.v or any(r.state == 'failed' for r in rs):
            print(''.join(f'    {line}\n' for line in text.splitlines()[-200:]), end='', flush=True)


def main():
    args = parse_args()
    os.chdir(TOP)
    args.build = os.path.abspath(args.build)
    os.environ['LXZONE_BUILD'] = args.build
    os.environ['PYTHONDONTWRITEBYTECODE'] = '1'
    os.environ['LC_ALL'] = 'C.UTF-8'
    if args.long:
        os.environ['LXTEST_LONG'] = '1'
    tests = discover.find(TOP, args.build, args.long)
    if args.k:
        tests = [t for t in tests if any(discover.matches(t.name, k) for k in args.k)]
    if args.list:
        print('\n'.join(t.name for t in tests))
        return 0
    skips = tap.read_allowed(os.path.join(TOP, 'tests', 'allowed-skips'))
    screen = Screen(len(tests))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        results = run_all(tests, args, skips, screen)
    except KeyboardInterrupt:
        print('\ninterrupted')
        return 130
    failed = [r for r in results if r.state == 'failed']
    for r in results:
        if r.state == 'skipped':
            print(f'skipped: {r.name}: {r.why}')
    for r in failed:
        print(f'FAILED: {r.name}' + (f': {r.why}' if r.why else ''))
    count = {s: sum(r.state == s for r in results) for s in ('passed', 'failed', 'skipped')}
    print(f'{count["passed"]} passed, {count["failed"]} failed, {count["skipped"]} skipped')
    return 1 if failed or not results else 0


if __name__ == '__main__':
    sys.exit(main())
