"""Files for whoever publishes a release: they say the same as pyproject.toml, and as each other."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import exactnn

ROOT = Path(__file__).parents[1]
FILES = {
    ".github/workflows/ci.yml": yaml.safe_load,
    ".pre-commit-config.yaml": yaml.safe_load,
    ".readthedocs.yaml": yaml.safe_load,
    ".zenodo.json": json.loads,
    "CITATION.cff": yaml.safe_load,
    "conda/recipe/recipe.yaml": yaml.safe_load,
    "pyproject.toml": tomllib.loads,
}


def read(name):
    return FILES[name]((ROOT / name).read_text(encoding="utf-8"))


def requirements(texts):
    """Return which version of what is needed, at least; names as conda writes them."""
    found = {}
    for text in texts:
        match = re.fullmatch(r"([A-Za-z0-9._-]+) ?>=([0-9.]+)(?:; .*)?", text)
        assert match, text
        found[match[1].lower()] = match[2]
    return found


@pytest.mark.parametrize("name", FILES)
def test_it_can_be_read(name):
    assert isinstance(read(name), dict)


def test_zenodo_and_the_citation_agree():
    zenodo, citation, project = read(".zenodo.json"), read("CITATION.cff"), read("pyproject.toml")["project"]
    for key in ("title", "version", "license", "keywords"):
        assert zenodo[key] == citation[key], key
    assert [one["name"] for one in zenodo["creators"]] == [one["name"] for one in citation["authors"]]
    assert zenodo["creators"] == project["authors"]
    assert zenodo["version"] == exactnn.__version__
    assert zenodo["license"] == project["license"]
    assert zenodo["description"] == project["description"]


def test_the_changelog_begins_with_this_version_and_leads_to_pages_that_are_there():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE)[0] == exactnn.__version__
    pages = {link.partition("#")[0] for link in re.findall(r"\]\(([^)]*)\)", text)}
    assert len(pages) > 20
    assert [page for page in sorted(pages) if not (ROOT / page).is_file()] == []


def test_the_recipe_needs_what_the_package_needs():
    recipe, pyproject = read("conda/recipe/recipe.yaml"), read("pyproject.toml")
    project = pyproject["project"]
    python = f"python {project['requires-python']}"
    assert requirements(recipe["requirements"]["run"]) == requirements([python, *project["dependencies"]])
    host = [text for text in recipe["requirements"]["host"] if text != "pip"]
    assert requirements(host) == requirements([python, *pyproject["build-system"]["requires"]])
    assert recipe["build"]["noarch"] == "python"
    entries = [f"{name} = {function}" for name, function in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entries
    assert recipe["context"]["version"] == exactnn.__version__
    assert recipe["about"]["license"] == project["license"]
    assert recipe["about"]["summary"] == project["description"]


def test_every_python_that_is_named_is_tested():
    job = read(".github/workflows/ci.yml")["jobs"]["run"]
    named = [text.rpartition(" ")[2] for text in read("pyproject.toml")["project"]["classifiers"] if "3." in text]
    assert job["strategy"]["matrix"]["python-version"] == named
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_a_commit_is_checked_as_the_integration_does():
    (local,) = read(".pre-commit-config.yaml")["repos"]
    assert local["repo"] == "local"
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    entries = [hook["entry"] for hook in local["hooks"]]
    assert entries == ["ruff check .", "ruff format --check .", "mypy"]
    assert set(entries) <= set(lines)


def test_the_site_is_built_as_the_integration_does():
    site = read(".readthedocs.yaml")
    assert site["version"] == 2
    assert (ROOT / site["sphinx"]["configuration"]).is_file()
    assert site["sphinx"]["fail_on_warning"] is True
    (install,) = site["python"]["install"]
    assert install["extra_requirements"] == ["docs"]
    assert "docs" in read("pyproject.toml")["project"]["optional-dependencies"]
