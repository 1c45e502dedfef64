"""Builds of the whole tree with other compilers and options, kept in BUILD/checks between runs."""
import os
import subprocess

import lxtest


def build(t, name, compiler, *options):
    """Configures and builds; a test point says whether it came out. Returns the build folder, or None."""
    folder = os.path.join(lxtest.BUILD, 'checks', name)
    env = {**os.environ, 'CC': compiler}
    setup = ['meson', 'setup', folder, *options]
    if os.path.exists(f'{folder}/build.ninja'):
        setup.append('--reconfigure')
    for argv in (setup, ['ninja', '-C', folder, '-j', '2', '-k', '20']):
        p = subprocess.run(argv, cwd=lxtest.TOP, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                           errors='replace')
        if p.returncode:
            # Neither progress nor the commands, which are long: what went wrong.
            lines = [line for line in p.stdout.splitlines() if not line.startswith(('[', compiler + ' '))]
            t.ok(False, f'{name}: {argv[0]}', '\n'.join(lines[-80:]))
            return None
    t.ok(True, f'{name} builds without warnings')
    return folder
