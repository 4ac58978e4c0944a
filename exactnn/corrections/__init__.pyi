from exactnn.corrections.erratum import Errata as Errata
from exactnn.corrections.erratum import Erratum as Erratum
from exactnn.corrections.ledger import errata as errata
from exactnn.corrections.ledger import errata_page as errata_page
