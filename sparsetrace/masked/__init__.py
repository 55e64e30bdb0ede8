"""Masked arrays of numpy.ma over traced data.

Contract: a masked element is not a zero.  It carries no dependency into any result;
``.data`` alone still shows what lies under the mask.  Where the inputs decide the mask,
results unite both outcomes, and what needs to know it is refused.
"""

from sparsetrace.masked import axis_reductions as axis_reductions
from sparsetrace.masked import sets as sets
from sparsetrace.masked import statistics as statistics
from sparsetrace.masked.construction import constructed
from sparsetrace.masked.masked_array import METHOD, METHODS, MODULE, MaskedTracedArray
from sparsetrace.masked.numpy_functions import function_call
from sparsetrace.masked.registered import as_masked, register_rest
from sparsetrace.masked.ufuncs import ufunc_call

register_rest()  # after those of the modules above

__all__ = [
    "METHOD",
    "METHODS",
    "MODULE",
    "MaskedTracedArray",
    "as_masked",
    "constructed",
    "function_call",
    "ufunc_call",
]
