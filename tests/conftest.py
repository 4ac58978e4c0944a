"""Settings of the property tests: the same examples in every run, and a longer campaign on demand.

``pytest --hypothesis-profile=campaign`` draws new and many examples.
"""

from hypothesis import HealthCheck, settings

SLOW_DATA = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("steady", deadline=None, derandomize=True, max_examples=60, suppress_health_check=SLOW_DATA)
settings.register_profile("campaign", deadline=None, max_examples=2000, suppress_health_check=SLOW_DATA)
settings.load_profile("steady")
