"""What can go wrong, as sentences a newcomer can act on."""


class SetupError(Exception):
    """Set-up cannot go on: exit code 1."""


class NotToBeHad(Exception):
    """A file cannot be had from any source. Set-up goes on and ends with exit code 3."""
