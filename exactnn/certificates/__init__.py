"""Certificates of long exact runs, and their checker: short, in plain rationals, and independent of every executor."""

from exactnn.certificates.certificate_file import load_certificate, save_certificate
from exactnn.certificates.replay import CheckedRun, check_certificate

__all__ = ["CheckedRun", "check_certificate", "load_certificate", "save_certificate"]
