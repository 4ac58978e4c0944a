"""Settings of the property tests: the same examples in every run, and a longer campaign on demand.

``pytest --hypothesis-profile=campaign`` draws new and many examples, ``mutations`` the same as ever without shrinking.
"""

import math

import pytest
from hypothesis import HealthCheck, Phase, settings

from exactnn.simulation import common_denominator, emulated, intervals, lazily_refined, plain_exact, rational

SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60, suppress_health_check=SLOW_DATA)
settings.register_profile("campaign", deadline=None, max_examples=2000, suppress_health_check=SLOW_DATA)
settings.register_profile("mutations", settings.get_profile("steady"), phases=(Phase.explicit, Phase.generate))
settings.load_profile("steady")

LOOKS_AT_THE_CLOCK = (common_denominator, emulated, intervals, lazily_refined, plain_exact, rational)
"""Modules of executors that take fewer steps than they are asked for when these are slow."""


@pytest.fixture(scope="session", autouse=True)
def _no_clock():
    """Let executors take all steps, so that no test depends on how slow a machine is."""
    with pytest.MonkeyPatch.context() as patch:
        for module in LOOKS_AT_THE_CLOCK:
            patch.setattr(module, "LONGEST_SLICE", math.inf)
        yield
