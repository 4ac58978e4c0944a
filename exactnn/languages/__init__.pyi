from exactnn.languages.subregular import locally_testable as locally_testable
from exactnn.languages.subregular import marked_product as marked_product
from exactnn.languages.subregular import modular_counting as modular_counting
from exactnn.languages.subregular import piecewise_testable as piecewise_testable
from exactnn.languages.subregular import strictly_local as strictly_local
from exactnn.languages.subregular import strictly_piecewise as strictly_piecewise
