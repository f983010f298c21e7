"""``python -m lunwen`` is the command line."""

from __future__ import annotations

import sys

from lunwen.doors.cli import main

sys.exit(main())
