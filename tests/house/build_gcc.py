#!/usr/bin/env python3
"""gcc at -O3 has nothing to warn about."""
# lxtest: timeout=600
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import checks  # noqa: E402
import lxtest  # noqa: E402

t = lxtest.Tap()
checks.build(t, 'gcc', 'gcc', '-Dwerror=true', '-Dbuildtype=release')
t.done()
