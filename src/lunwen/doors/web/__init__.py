"""The page, as a door to a library."""

from lunwen.doors.web.app import create_app as create_app
from lunwen.doors.web.server import serve as serve
