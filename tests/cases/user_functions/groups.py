"""Group-partially separable problems, as translators of test problems write them down.

An element takes a few variables, or ranges of them (``U.dot(EV)``); a group adds elements,
linear terms and a constant.  Elements and groups are found by their names.
"""

import numpy as np
from scipy.sparse import csr_matrix


def to_scalar(value):
    return value if isinstance(value, float) else value.item()


class Problem:
    def __init__(self):
        self.n = 4
        self.A = csr_matrix(([1.0, -2.0, 3.0], ([0, 1, 1], [0, 2, 3])), shape=(4, 4))
        self.gconst = np.array([[1.0], [0.0], [2.0], [0.0]])
        self.gscale = np.array([2.0, 1.0, 1.0, 0.5])
        self.elftype = ["ePROD", "eRANGE", "eSQ", "eQUAD"]
        self.elvar = [[0, 1], [0, 1, 2], [3], [1, 2]]
        self.elpar = [[2.0], [0.5], [1.0], [1.5]]
        self.grelt = [[0, 1], [2], [], [3, 0]]
        self.grelw = [[1.0, -3.0], [2.0], [], [1.0, 1.0]]
        self.grftype = ["gL2", None, None, "gSQRT"]
        self.objgrps = [0, 3]
        self.congrps = [1, 2]

    # ----------------------------------------------------------------- elements
    @staticmethod
    def ePROD(self, nargout, *args):
        EV_, iel_ = args
        f_ = self.elpar[iel_][0] * EV_[0, 0] * EV_[1, 0]
        if nargout > 1:
            g_ = np.zeros(2)
            g_[0], g_[1] = EV_[1, 0], EV_[0, 0]
            return f_, g_
        return f_

    @staticmethod
    def eRANGE(self, nargout, *args):
        EV_, iel_ = args
        U_ = np.zeros((2, 3))
        IV_ = np.zeros(2)
        U_[0, 0] = U_[0, 0] + 1
        U_[0, 1] = U_[0, 1] - 1
        U_[1, 2] = U_[1, 2] + self.elpar[iel_][0]
        IV_[0] = to_scalar(U_[0:1, :].dot(EV_))
        IV_[1] = to_scalar(U_[1:2, :].dot(EV_))
        f_ = IV_[0] * IV_[1]
        if nargout > 1:
            g_ = np.zeros(len(IV_))
            g_[0], g_[1] = IV_[1], IV_[0]
            return f_, U_.T.dot(g_)
        return f_

    @staticmethod
    def eSQ(self, nargout, *args):
        f_ = np.exp(args[0][0, 0]) ** 2
        if not isinstance(f_, float):
            f_ = f_.item()
        return (f_, np.array([2.0 * f_])) if nargout > 1 else f_

    @staticmethod
    def eQUAD(self, nargout, *args):
        EV_, iel_ = args
        H_ = np.array([[2.0, 0.0], [0.0, self.elpar[iel_][0]]])
        f_ = EV_.T.dot(H_.dot(EV_)).item()
        return (f_, 2.0 * H_.dot(EV_).ravel()) if nargout > 1 else f_

    # ------------------------------------------------------------------- groups
    @staticmethod
    def gL2(self, nargout, *args):
        return args[0] * args[0]

    @staticmethod
    def gSQRT(self, nargout, *args):
        return np.sqrt(args[0])

    # --------------------------------------------------------------- evaluation
    def evaluated(self, ig, x):
        fin = float(-self.gconst[ig, 0])
        if ig < self.A.shape[0]:
            gin = np.zeros((self.n, 1))
            gin[: self.A.shape[1], :1] = self.A[[ig], :].T.toarray()
            fin = float(fin + to_scalar(gin.T.dot(x)))
        for iel, weight in zip(self.grelt[ig], self.grelw[ig], strict=True):
            xiel = x[np.array(self.elvar[iel])]  # noqa: F841 - named in the text below
            fin += weight * eval("self." + self.elftype[iel] + "(self, 1, xiel, iel)")
        if self.grftype[ig] is not None:
            fin = getattr(self, self.grftype[ig])(self, 1, fin, ig)
        return fin / self.gscale[ig]

    def fx(self, x):
        x = x.reshape(-1, 1)
        result = 0.0
        for ig in self.objgrps:
            result += self.evaluated(int(ig), x)
        return float(result)

    def cx(self, x):
        x = x.reshape(-1, 1)
        result = np.zeros((len(self.congrps), 1))
        for ic, ig in enumerate(self.congrps):
            result[ic] = self.evaluated(int(ig), x)
        return result

    def fgx(self, x):
        """The elements' gradients, put together."""
        x = x.reshape(-1, 1)
        gx = np.zeros((self.n, 1))
        for iel, variables in enumerate(self.elvar):
            _, giel = getattr(self, self.elftype[iel])(self, 2, x[np.array(variables)], iel)
            for ir, ii in enumerate(variables):
                gx[ii] += giel[ir]
        return gx


_problem = Problem()
objective = _problem.fx
constraints = _problem.cx
gradient_of_elements = _problem.fgx
