from exactnn.stacks.cantor import CantorStack as CantorStack
from exactnn.stacks.stack_limits import StackLimit as StackLimit
from exactnn.stacks.stack_limits import StackLimits as StackLimits
from exactnn.stacks.stack_limits import stack_limits as stack_limits
from exactnn.stacks.stratified import StratifiedStack as StratifiedStack
from exactnn.stacks.superposition import SuperpositionStack as SuperpositionStack
