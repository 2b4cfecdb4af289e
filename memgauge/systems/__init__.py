"""Systems under test by name: the reference, the stand-ins it is compared with, a user's own in Python or as a command."""
