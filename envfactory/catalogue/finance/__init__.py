"""Environments of banks, payments and other money matters."""
