"""An installed wheel finds its config groups and its Hydra plugins, from any folder, as a checkout does."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, folder: Path) -> str:
    ended = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, timeout=170, check=False)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, folder=ROOT)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_its_groups_and_its_plugins_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "envfactory/conf/config.yaml" in names
    assert "hydra_plugins/envfactory_search_path.py" in names
    assert "hydra_plugins/__init__.py" not in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"envfactory", "hydra_plugins"}


def test_an_installed_wheel_composes_from_another_folder(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    purelib = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=tmp_path).strip())
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        "-q",
        wheel,
        folder=tmp_path,
    )
    # The dependencies are those of this environment, without the checkout that is installed in it for editing.
    outer = sysconfig.get_path("purelib")
    (purelib / "dependencies.pth").write_text(f"import site, sys; sys.path.append({outer!r})\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    where = run(python, "-c", "import envfactory; print(envfactory.__file__)", folder=elsewhere)
    assert Path(where.strip()).is_relative_to(purelib)
    shown = run(python, "-m", "envfactory", "--cfg", "job", "sampler=random_walk", folder=elsewhere)
    assert "kind: random_walk" in shown
    script = tmp_path / "venv" / "bin" / "envfactory"
    assert "sampler/topology" in run(script, "--info", "defaults", folder=elsewhere)
    # The scripts that build interpreters find what they share.
    setup = purelib / "envfactory" / "launchers" / "training" / "setup.sh"
    said = subprocess.run(["bash", setup, "tpu"], capture_output=True, text=True, timeout=60, check=False)
    assert said.stderr.startswith("setup.sh: expected 'cpu' or 'gpu', got 'tpu'")
    # Whoever composes with Hydra sees the groups, although the primary config is not ours.
    (elsewhere / "mine.yaml").write_text("defaults: [{reward: paper}]\n")
    code = (
        "from hydra import compose, initialize_config_dir\n"
        f"with initialize_config_dir({str(elsewhere)!r}, version_base='1.3'): print(compose('mine').reward.floor)"
    )
    assert run(python, "-c", code, folder=elsewhere).strip() == "0.0"
    assert [path.name for path in elsewhere.iterdir()] == ["mine.yaml"]
