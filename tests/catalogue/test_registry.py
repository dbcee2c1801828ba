from __future__ import annotations

import subprocess
import sys

import pytest

from envfactory import catalogue
from envfactory.environment import DEFAULT_NOW, Environment, Reference, Session


def test_names_are_sorted_and_the_domains_add_up_to_all():
    names = catalogue.environment_names()
    assert "hotel_reservations" in names
    assert list(names) == sorted(names)
    assert sorted(name for domain in catalogue.domains() for name in catalogue.environment_names(domain)) == list(names)


def test_an_unknown_domain_or_environment_names_the_nearest():
    with pytest.raises(KeyError, match="did you mean 'travel'"):
        catalogue.environment_names("travle")
    with pytest.raises(KeyError, match="did you mean 'hotel_reservations'"):
        catalogue.load(["hotel_reservation"])


def test_every_module_loads_as_the_environment_of_its_name_in_its_domain():
    for domain in catalogue.domains():
        for name, environment in catalogue.load(catalogue.environment_names(domain)).items():
            assert issubclass(environment, Environment)
            assert (environment.environment_name(), environment.domain) == (name, domain)


def test_the_backend_opens_what_was_asked_for_and_nothing_else():
    backend = catalogue.backend(["hotel_reservations"])
    assert list(backend.specs) == ["hotel_reservations"]
    with Session(
        backend, Reference(environments=catalogue.digests(["hotel_reservations"]), now=DEFAULT_NOW)
    ) as session:
        assert session.call("hotel_reservations-list_reservations", {}).ok


def test_listing_and_digests_import_no_environment_and_nothing_heavy():
    code = (
        "import sys; from envfactory import catalogue as c; c.digests(c.environment_names());"
        "print([m for m in sys.modules if m.startswith('envfactory.catalogue.') and m.count('.') > 2"
        " or m in ('sklearn', 'rustworkx', 'numpy', 'mcp')])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.strip() == "[]"
