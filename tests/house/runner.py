#!/usr/bin/env python3
"""The test runner itself: nothing that goes wrong may look like success."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import discover  # noqa: E402
import lxtest  # noqa: E402
import supervise  # noqa: E402
import tap  # noqa: E402


def states(text, code, allowed=()):
    return ' '.join(r.state for r in tap.parse('x', text, code, allowed))


def supervised(command, timeout=10):
    """Exit status and log of a shell command under the supervisor."""
    log = tempfile.TemporaryFile()
    pid = supervise.start(discover.Test('x', ['sh', '-c', command]), log, timeout)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    log.seek(0)
    return code, log.read().decode()


def main():
    t = lxtest.Tap()
    t.eq(states('ok 1 - a\nok 2 - b\n1..2\n', 0), 'passed passed', 'points count')
    t.eq(states('ok 1 - a\nnot ok 2 - b\n1..2\n', 1), 'passed failed', 'a failed point fails')
    t.eq(states('ok 1 - a\nnot ok 2 - b\n1..2\n', 0), 'passed failed', 'even with status 0')
    t.eq(states('1..3\nok 1 - a\n', 0), 'passed failed', 'points that are missing fail')
    t.eq(states('ok 1 - a\n1..1\n', 139), 'passed failed', 'a bad status fails')
    t.eq(states('', 0), 'passed', 'a silent program passes by its status')
    t.eq(states('no good\n', 1), 'failed', 'or fails by it')
    t.eq(states('no such thing\n', 77), 'failed', 'a skip that is not allowed fails')
    t.eq(states('no such thing\n', 77, ['x']), 'skipped', 'one that is allowed does not')
    t.eq(states('ok 1 - a # SKIP no\n1..1\n', 0), 'failed', 'nor may a point be skipped')
    t.eq(states('ok 1 - a # SKIP no\n1..1\n', 0, ['x: a']), 'skipped', 'unless allowed')

    t.eq(supervised('echo hello; exit 3'), (3, 'hello\n'), 'status and output come through')
    code, log = supervised('sleep 60', timeout=1)
    t.ok(code == 1 and 'no end after 1 s' in log, 'a test that hangs is ended', log)
    code, log = supervised('setsid sleep 61 & exit 0')
    t.ok(code == 1 and 'sleep 61' in log, 'what a test leaves running fails it', log)
    t.ok('sleep 61' not in lxtest.run('ps', 'ax', '-o', 'args').out.replace("'sleep 61'", ''), 'and is ended')
    t.eq(supervised('setsid sleep 0.3 & exit 0')[0], 0, 'unless it goes by itself at once')
    t.eq(supervised('kill -9 $$')[0], 137, 'a killed test fails')
    t.done()


main()
