"""Runs one test program under a supervisor: a child of the runner that adopts whatever the program leaves behind, so that
nothing outlives a test and a test that leaves something running fails."""
import ctypes
import os
import signal
import subprocess
import sys
import time
import traceback

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
GRACE = 3.0  # seconds for daemons of a finished test to go by themselves


def prctl(option, value):
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def start(test, log, timeout):
    """Starts test with its output into log; returns the supervisor's pid, whose exit status is the test's."""
    sys.stdout.flush()
    runner = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.signal(signal.SIGINT, lambda *_: None)  # a handler, as the test would inherit that it is ignored
        signal.signal(signal.SIGTERM, give_up)
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != runner:
            os._exit(1)
        code = supervise(test, log, test.timeout or timeout)
    except BaseException:  # whatever happens, this process must not go on as a second runner
        log.write(traceback.format_exc().encode())
    finally:
        log.flush()
        os._exit(code)


def give_up(*_):
    """The runner was interrupted or is gone."""
    end_all()
    os._exit(1)


def supervise(test, log, timeout):
    def note(text):
        log.seek(0, os.SEEK_END)
        log.write(f'# {text}\n'.encode())
        log.flush()

    try:
        p = subprocess.Popen(test.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                             env={**os.environ, **test.env}, start_new_session=True)
    except OSError as e:
        note(f'{test.argv[0]}: {e.strerror}')
        return 1
    try:
        code = p.wait(timeout)
    except subprocess.TimeoutExpired:
        note(f'no end after {timeout} s; still running: ' + describe(descendants(os.getpid())))
        end_all()
        return 1
    left = wait_gone(GRACE)
    if left:
        note('left running: ' + describe(left))
        end_all()
        return 1
    return code if code >= 0 else 128 - code


def children():
    """Parent -> children, of all processes."""
    tree = {}
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                with open(f'/proc/{entry}/stat') as f:
                    fields = f.read().rpartition(')')[2].split()
            except OSError:
                continue
            if fields[0] != 'Z':
                tree.setdefault(int(fields[1]), []).append(int(entry))
    return tree


def is_shared(pid):
    """The user's holder, whichever test started it: it serves the sessions of all, and ends by itself after the last."""
    try:
        with open(f'/proc/{pid}/cmdline', 'rb') as f:
            return f.read() == b'zonectl\0holder\0'
    except OSError:
        return False


def descendants(pid):
    tree, todo, out = children(), [pid], []
    while todo:
        for child in tree.get(todo.pop(), []):
            todo.append(child)
            if not is_shared(child):
                out.append(child)
    return out


def describe(pids):
    words = []
    for pid in pids:
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as f:
                words.append(f'{pid} ({f.read().replace(bytes(1), b" ").decode(errors="replace").strip()[:80]})')
        except OSError:
            continue
    return ', '.join(words) or 'nothing'


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def wait_gone(seconds):
    """Descendants that are still there after so long."""
    end = time.monotonic() + seconds
    while True:
        reap()
        left = descendants(os.getpid())
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)


def end_all():
    for _ in range(50):
        left = descendants(os.getpid())
        if not left:
            return
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.05)
        reap()
