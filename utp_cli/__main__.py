"""`python -m utp_cli`."""

from utp_cli.app import main

main()
