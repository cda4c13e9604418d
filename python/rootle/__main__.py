"""`python -m rootle` is the command `rootle`."""

import sys

from rootle.cli import main

sys.exit(main())
