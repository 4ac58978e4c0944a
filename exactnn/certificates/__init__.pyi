from exactnn.certificates.certificate_file import load_certificate as load_certificate
from exactnn.certificates.certificate_file import save_certificate as save_certificate
from exactnn.certificates.replay import CheckedRun as CheckedRun
from exactnn.certificates.replay import check_certificate as check_certificate
