"""The functions of SciPy that have a rule, and where it is.

Contract: this is the one list of them.  The rule of ``solve`` is the function ``solve`` of the
module named here, and that of ``BSpline.__call__`` is ``BSpline_call``.  A module of rules is
imported when one of them is needed, and none of SciPy's is imported for the rules in it.
"""

from __future__ import annotations

from sparsetrace.dispatch.function_rules import register

__all__ = ["RULES", "rule_name"]

_IN_PLACE = (
    "check_finite overwrite_a overwrite_b overwrite_ab overwrite_A overwrite_B "
    "overwrite_c overwrite_a_band overwrite_x"
).split()
"""No rule reads these: whether the arguments are checked, and may be written to."""


def _typed(types: str, names: str) -> str:
    """Names of routines of BLAS and LAPACK for each of some types of numbers."""
    return " ".join(f" {kind}{name}" for name in names.split() for kind in types.split())


RULES: dict[str, dict[str, str]] = {
    "scipy._external.array_api_extra": {"array_api": "apply_where"},
    "scipy._external.array_api_compat.numpy": {"array_api": "clip"},
    "scipy._external.array_api_compat.numpy.linalg": {"array_api": "solve"},
    "scipy._lib._util": {"array_api": "_lazywhere"},
    "scipy._lib.array_api_compat.numpy": {"array_api": "clip"},
    "scipy._lib.array_api_compat.numpy.linalg": {"array_api": "solve"},
    "sklearn.externals.array_api_compat.numpy.linalg": {"array_api": "solve"},
    "array_api_compat.numpy.linalg": {"array_api": "solve"},
    "scipy._lib.array_api_extra": {"array_api": "apply_where"},
    "scipy.differentiate": {"optimize.elementwise": "derivative hessian jacobian"},
    "scipy.cluster.hierarchy": {
        "cluster.clusters": """
            average centroid complete cophenet cut_tree fcluster fclusterdata inconsistent
            is_isomorphic is_monotonic is_valid_im is_valid_linkage leaves_list linkage maxRstat
            maxdists maxinconsts median num_obs_linkage optimal_leaf_ordering single
            to_mlab_linkage ward weighted
        """,
    },
    "scipy.cluster.vq": {"cluster.clusters": "kmeans kmeans2 vq"},
    "scipy.fft": {"signal.fftpack": "fht ifht"},
    "scipy.fftpack": {
        "signal.fftpack": """
            cc_diff cs_diff dct dctn diff dst dstn fft fft2 fftn hilbert idct idctn idst idstn ifft
            ifft2 ifftn ihilbert irfft itilbert rfft sc_diff shift ss_diff tilbert
        """,
    },
    "scipy.integrate": {
        "integrate.boundary_values": """
            LSODA.__init__ cubature ode.integrate ode.set_initial_value solve_bvp
        """,
        "integrate.equations": "odeint solve_ivp",
        "integrate.quadratures": "dblquad nquad quad quad_vec simpson",
        "optimize.elementwise": "nsum tanhsinh",
    },
    "scipy.interpolate": {
        "interpolate.bsplines": """
            BSpline.__init__ BSpline.antiderivative BSpline.derivative
            make_interp_spline make_lsq_spline
        """,
        "interpolate.fits": """
            InterpolatedUnivariateSpline.__init__ LSQUnivariateSpline.__init__
            LSQBivariateSpline.__init__ RectBivariateSpline.__init__
            RectSphereBivariateSpline.__init__ SmoothBivariateSpline.__init__
            UnivariateSpline.__init__ UnivariateSpline.antiderivative
            UnivariateSpline.derivative UnivariateSpline.derivatives UnivariateSpline.integral
            LSQSphereBivariateSpline.__init__ SmoothSphereBivariateSpline.__init__
            bisplrep make_smoothing_spline make_splprep make_splrep splprep splrep
        """,
        "interpolate.grids": "RegularGridInterpolator.__init__ interp1d.__init__",
        "interpolate.linear": """
            BPoly.antiderivative BPoly.construct_fast BPoly.derivative BPoly.extend
            BPoly.from_derivatives BPoly.from_power_basis BSpline.construct_fast
            BSpline.insert_knot NdBSpline.__init__ NdPPoly.__init__ NdPPoly.antiderivative
            NdPPoly.derivative NdPPoly.integrate NdPPoly.integrate_1d
            PPoly.from_bernstein_basis PPoly.from_spline insert
        """,
        "interpolate.methods": """
            AAA.poles AAA.residues AAA.roots BarycentricInterpolator.derivative
            BivariateSpline.integral KroghInterpolator.derivative KroghInterpolator.derivatives
            RectBivariateSpline.partial_derivative PPoly.roots PPoly.solve
            SmoothBivariateSpline.get_coeffs SmoothBivariateSpline.get_knots
            SmoothBivariateSpline.get_residual UnivariateSpline.get_coeffs
            UnivariateSpline.get_knots UnivariateSpline.get_residual UnivariateSpline.roots sproot
        """,
        "interpolate.piecewise_polynomials": """
            Akima1DInterpolator.__init__ BPoly.__init__ CubicHermiteSpline.__init__
            CubicSpline.__init__ PPoly.__init__ PPoly.antiderivative PPoly.derivative PPoly.extend
            PchipInterpolator.__init__
        """,
        "interpolate.scattered": """
            AAA.__call__ AAA.__init__ BarycentricInterpolator.__init__
            CloughTocher2DInterpolator.__init__ FloaterHormannInterpolator.__init__
            KroghInterpolator.__init__ LinearNDInterpolator.__call__
            LinearNDInterpolator.__init__ NearestNDInterpolator.__call__
            NearestNDInterpolator.__init__ RBFInterpolator.__call__ RBFInterpolator.__init__
            barycentric_interpolate griddata krogh_interpolate
        """,
        "interpolate.splines": """
            BPoly.__call__ BPoly.integrate BSpline.__call__ BSpline.integrate
            BarycentricInterpolator.__call__ KroghInterpolator.__call__ NdBSpline.__call__
            NdPPoly.__call__ PPoly.__call__ PPoly.integrate RectBivariateSpline.__call__
            RegularGridInterpolator.__call__
            UnivariateSpline.__call__ bisplev interp1d.__call__ interpn spalde splantider
            splder splev splint
        """,
    },
    "scipy.linalg": {
        "linalg.decompositions": """
            cho_solve_banded cholesky_banded cossin expm_cond khatri_rao ordqz
            qr_delete qr_insert qr_update
            eig_banded eigh_tridiagonal eigvals_banded eigvalsh_tridiagonal expm_frechet
            hessenberg ldl lu null_space orth orthogonal_procrustes qr_multiply qz rq rsf2csf
            matrix_balance schur solve_continuous_are solve_discrete_are subspace_angles
        """,
        "linalg.linear_systems": """
            cho_factor cho_solve cholesky lu_factor lu_solve matmul_toeplitz solve solve_banded
            solve_circulant solve_continuous_lyapunov solve_discrete_lyapunov solve_lyapunov
            solve_sylvester solve_toeplitz solve_triangular solveh_banded
        """,
        "linalg.matrix_functions": """
            circulant convolution_matrix coshm cosm det eig eigh eigvals eigvalsh expm
            ishermitian issymmetric
            fractional_matrix_power funm hankel inv kron logm lstsq norm pinv pinvh polar qr signm
            sinhm sinm sqrtm svd svdvals tanhm tanm toeplitz
        """,
        "linalg.fortran": "get_blas_funcs get_lapack_funcs",
    },
    "scipy.linalg.blas": {
        "linalg.fortran": _typed("s d", "asum dot ger nrm2 symv")
        + _typed(
            "s d c z",
            "axpy copy gbmv gemm gemv rot scal swap symm syr2k syrk trmm trmv trsm trsv",
        )
        + _typed("c z", "dotc dotu gerc geru hemm hemv herk")
        + _typed("sc dz", "asum nrm2")
        + _typed("is id ic iz", "amax")
        + _typed("cs zd", "rot scal")
        + " get_blas_funcs",
    },
    "scipy.linalg.interpolative": {
        "linalg.interpolative": """
            estimate_rank estimate_spectral_norm estimate_spectral_norm_diff id_to_svd
            interp_decomp svd
        """,
    },
    "scipy.linalg.lapack": {
        "linalg.fortran": _typed(
            "s d c z",
            """
            gbsv gbtrf gbtrs gecon geev gehrd gels gelsd gelss gelsy geqp3 geqrf gesdd gesv gesvd
            getrf getri getrs gtsv gttrf gttrs lange lauum pbsv pbtrf pbtrs pocon posv potrf potri
            potrs ptsv pttrf pttrs sysv sytrf trcon trsyl trtri trtrs
            """,
        )
        + _typed("s d", "orgqr ormqr syev syevd syevr sygvd sytrs")
        + _typed("c z", "heev heevd heevr hegvd hesv hetrf ungqr unmqr")
        + " get_lapack_funcs",
    },
    "scipy.ndimage": {
        "ndimage.geometry": """
            affine_transform geometric_transform map_coordinates rotate shift spline_filter
            spline_filter1d zoom
        """,
        "ndimage.images": """
            convolve convolve1d correlate correlate1d gaussian_filter gaussian_filter1d
            gaussian_gradient_magnitude gaussian_laplace laplace prewitt sobel
            uniform_filter uniform_filter1d
        """,
        "ndimage.measurements": """
            center_of_mass extrema fourier_ellipsoid fourier_gaussian fourier_shift
            fourier_uniform generic_filter generic_filter1d generic_gradient_magnitude
            generic_laplace labeled_comprehension maximum maximum_position mean median minimum
            minimum_position standard_deviation sum sum_labels variance vectorized_filter
        """,
        "ndimage.morphology": """
            black_tophat grey_closing grey_dilation grey_erosion grey_opening
            morphological_gradient morphological_laplace white_tophat
        """,
        "ndimage.rank_filters": """
            maximum_filter maximum_filter1d median_filter minimum_filter minimum_filter1d
            percentile_filter rank_filter
        """,
        "ndimage.regions": """
            binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss
            binary_opening binary_propagation distance_transform_bf distance_transform_cdt
            distance_transform_edt histogram label watershed_ift
        """,
    },
    "scipy.optimize": {
        "optimize.minima": """
            basinhopping brent brute curve_fit differential_evolution direct dual_annealing fmin
            fmin_bfgs fmin_cg fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc
            fminbound golden isotonic_regression least_squares leastsq linear_sum_assignment
            linprog lsq_linear milp minimize minimize_scalar nnls quadratic_assignment shgo
        """,
        "optimize.roots": """
            anderson bisect brenth brentq broyden1 broyden2 diagbroyden excitingmixing fixed_point
            fsolve linearmixing newton newton_krylov ridder root root_scalar toms748
        """,
    },
    "scipy.optimize.elementwise": {"optimize.elementwise": "find_minimum find_root"},
    "scipy.signal": {
        "ndimage.rank_filters": "medfilt medfilt2d order_filter",
        "signal.convolution": "convolve convolve2d correlate correlate2d fftconvolve oaconvolve",
        "signal.design": """
            bessel bilinear butter buttord cheb1ord cheb2ord cheby1 cheby2 deconvolve ellip ellipord
            firls firwin firwin2 gammatone group_delay iircomb iirfilter iirnotch iirpeak
            invres invresz lfilter_zi lfiltic lp2bp lp2bs lp2hp lp2lp
            cspline2d ellipap gauss_spline get_window iirdesign minimum_phase normalize place_poles
            qspline2d remez residue residuez sawtooth sepfir2d spline_filter symiirorder1
            symiirorder2 unique_roots sos2tf sos2zpk sosfilt_zi ss2zpk tf2sos tf2zpk
            vectorstrength wiener zpk2sos
        """,
        "signal.filters": """
            detrend filtfilt lfilter resample_poly savgol_coeffs savgol_filter sosfilt sosfiltfilt
            upfirdn
        """,
        "signal.peaks": """
            argrelextrema argrelmax argrelmin find_peaks find_peaks_cwt peak_prominences peak_widths
        """,
        "signal.spectra": """
            coherence csd cspline1d cspline1d_eval czt decimate hilbert hilbert2 istft
            periodogram qspline1d qspline1d_eval resample spectrogram stft welch zoom_fft
        """,
        "signal.systems": "lsim",
    },
    "scipy.signal.windows": {"signal.design": "get_window tukey"},
    # what other functions of these modules call
    "scipy.signal._filter_design": {"signal.design": "normalize"},
    "scipy.signal._lti_conversion": {"signal.design": "normalize tf2zpk"},
    "scipy.signal._ltisys": {"signal.design": "normalize tf2zpk", "signal.systems": "lsim"},
    "scipy.sparse": {
        "sparse.sparse_functions": """
            block_array block_diag bmat diags diags_array expand_dims find hstack kron kronsum
            permute_dims swapaxes vstack
        """,
    },
    "scipy.sparse.csgraph": {
        "sparse.graphs": """
            bellman_ford breadth_first_tree connected_components csgraph_from_dense
            csgraph_to_dense depth_first_tree dijkstra floyd_warshall johnson
            min_weight_full_bipartite_matching minimum_spanning_tree reconstruct_path
            shortest_path
        """,
    },
    "scipy.sparse.linalg": {
        "linalg.sparse_iterations": """
            bicg bicgstab cg cgs eigs eigsh expm gcrotmk gmres lgmres lobpcg lsmr lsqr
            minres qmr svds tfqmr
        """,
        "linalg.sparse_solvers": """
            expm_multiply factorized norm onenormest spilu splu spsolve
            spsolve_triangular
        """,
    },
    "scipy.spatial": {
        "spatial.trees": """
            ConvexHull.__init__ Delaunay.__init__ Delaunay.find_simplex KDTree.__init__
            KDTree.count_neighbors
            KDTree.query KDTree.query_ball_tree KDTree.sparse_distance_matrix Voronoi.__init__
            cKDTree.query
        """,
    },
    "scipy.spatial.distance": {
        "spatial.distance": """
            braycurtis canberra cdist chebyshev cityblock correlation cosine dice
            directed_hausdorff euclidean
            hamming is_valid_dm jaccard jensenshannon mahalanobis minkowski
            pdist rogerstanimoto russellrao
            seuclidean sokalsneath sqeuclidean squareform yule
        """,
    },
    "scipy.spatial.transform": {
        "spatial.rigid_transforms": """
            RigidTransform.__getitem__ RigidTransform.__init__ RigidTransform.__iter__
            RigidTransform.__mul__
            RigidTransform.apply RigidTransform.as_matrix RigidTransform.concatenate
            RigidTransform.from_components RigidTransform.from_matrix
            RigidTransform.from_rotation RigidTransform.from_translation RigidTransform.inv
        """,
        "spatial.rotations": """
            Rotation.__getitem__ Rotation.__init__ Rotation.__iter__ Rotation.__len__
            Rotation.__mul__ Rotation.__pow__ Rotation.__setitem__ Rotation.align_vectors
            Rotation.apply
            Rotation.approx_equal Rotation.as_davenport Rotation.as_euler Rotation.as_matrix
            Rotation.as_mrp Rotation.as_quat Rotation.as_rotvec Rotation.from_euler
            Rotation.from_matrix Rotation.from_mrp Rotation.from_quat Rotation.from_rotvec
            Rotation.concatenate Rotation.from_davenport
            Rotation.inv Rotation.magnitude Rotation.mean Rotation.reduce
            RotationSpline.__call__ RotationSpline.__init__ Slerp.__call__ Slerp.__init__
        """,
    },
    "scipy.special": {
        "special.exponentials": "log_softmax logsumexp softmax",
        "special.special_functions": """
            cg_roots clpmn comb diric ellip_harm_2 ellip_normal factorial factorial2 factorialk
            h1vp h2vp ivp j_roots js_roots jvp kvp la_roots lmbda lpmn lpn lqmn lqn
            mathieu_even_coef mathieu_odd_coef multigammaln
            obl_cv_seq pbdn_seq pbdv_seq pbvv_seq perm polygamma pro_cv_seq riccati_jn riccati_yn
            roots_gegenbauer roots_genlaguerre roots_jacobi roots_sh_jacobi spherical_in
            spherical_jn spherical_kn spherical_yn yvp
        """,
    },
    # the class of legendre_p, sph_harm_y and their kin
    "scipy.special._multiufuncs": {"special.special_functions": "MultiUFunc.__call__"},
    # what logsumexp calls, also where a module bound its name early
    "scipy.special._logsumexp": {"special.exponentials": "_logsumexp"},
    "scipy.stats": {
        "stats.distributions": """
            rv_continuous.pdf rv_continuous.logpdf rv_continuous.cdf rv_continuous.logcdf
            rv_continuous.sf rv_continuous.logsf rv_continuous.ppf rv_continuous.isf
            rv_continuous.fit
            rv_continuous.nnlf rv_continuous._penalized_nnlf rv_discrete._penalized_nnlf
            rv_discrete.pmf rv_discrete.logpmf rv_discrete.cdf rv_discrete.logcdf rv_discrete.sf
            rv_discrete.logsf rv_discrete.ppf rv_discrete.isf
        """,
        "stats.kernel_density": "gaussian_kde.__call__ gaussian_kde.evaluate gaussian_kde.logpdf",
        "stats.statistics": """
            anderson_ksamp ansari brunnermunzel chatterjeexi chi2_contingency cramervonmises
            cramervonmises_2samp dunnett epps_singleton_2samp fligner friedmanchisquare hmean
            kendalltau kruskal ks_2samp kstest linregress mannwhitneyu median_test mood
            page_trend_test pearsonr pmean poisson_means_test rankdata ranksums shapiro
            siegelslopes somersd spearmanr weightedtau wilcoxon
        """,
    },
    "scipy.stats.mstats": {
        "stats.statistics": """
            brunnermunzel f_oneway friedmanchisquare hdmedian hdquantiles hdquantiles_sd
            kendalltau kendalltau_seasonal kruskal kruskalwallis ks_2samp ks_twosamp mannwhitneyu
            meppf mjci mquantiles_cimj obrientransform plotting_positions
            pointbiserialr rankdata siegelslopes spearmanr theilslopes trimmed_mean_ci
        """,
    },
    "scipy.stats.qmc": {
        "stats.statistics": "discrepancy geometric_discrepancy scale update_discrepancy",
    },
    "scipy.stats._axis_nan_policy": {"array_api": "_contains_nan"},
    "scipy.stats._continuous_distns": {
        "array_api": "_lazyselect",
        "stats.distributions": """
            gumbel_l_gen.fit gumbel_r_gen.fit halflogistic_gen.fit logistic_gen.fit lognorm_gen.fit
            pareto_gen.fit powerlaw_gen.fit rayleigh_gen.fit truncpareto_gen.fit
        """,
    },
    "scipy.stats._distn_infrastructure": {"stats.statistics": "rv_generic.stats"},
    "scipy.stats._levy_stable": {
        "stats.distributions": "levy_stable_gen.cdf levy_stable_gen.pdf",
    },
    "scipy.stats._morestats": {"array_api": "_contains_nan"},
    "scipy.stats._multivariate": {
        "stats.multivariate": """
            _PSD.__init__ _dirichlet_check_input _dirichlet_check_parameters
            invwishart_gen._logpdf multinomial_gen._process_parameters
            multivariate_normal_gen._cdf multivariate_normal_gen._logpdf
            multivariate_t_gen._logpdf
        """,
    },
    "scipy.stats._stats_py": {
        "array_api": "_contains_nan is_lazy_array",
        "stats.statistics": "_moment",
    },
}
"""For each module of SciPy's, the functions and methods of each module here."""

_ALWAYS = frozenset(
    """
    factorized spilu splu bisplev splev geometric_transform
    BPoly.from_power_basis PPoly.from_bernstein_basis PPoly.from_spline
    KDTree.count_neighbors KDTree.query_ball_tree KDTree.sparse_distance_matrix
    RigidTransform.__mul__ RigidTransform.concatenate RigidTransform.from_components
    RigidTransform.from_rotation Rotation.__mul__ Rotation.concatenate RotationSpline.__init__
    Slerp.__init__
    generic_filter labeled_comprehension lsim
    cubature dblquad nquad ode.integrate ode.set_initial_value odeint quad quad_vec
    solve_bvp solve_ivp
    get_blas_funcs get_lapack_funcs
    derivative find_minimum find_root hessian jacobian nsum tanhsinh
    bicg bicgstab cg cgs eigs eigsh expm_multiply gcrotmk gmres lgmres lobpcg lsmr lsqr minres
    qmr svds tfqmr
    anderson bisect brenth brentq broyden1 broyden2 diagbroyden excitingmixing fixed_point
    fsolve linearmixing newton newton_krylov ridder root root_scalar toms748
    basinhopping brent brute curve_fit differential_evolution direct dual_annealing fmin
    fmin_bfgs fmin_cg fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc
    fminbound golden least_squares leastsq linprog lsq_linear milp minimize minimize_scalar shgo
    """.split()
)
"""Answered without traced arguments too: what they return is given some later, or a function
that they are given reads some.
"""


def rule_name(name: str) -> str:
    """What the rule of a function or method is called.

    Examples
    --------
    >>> rule_name("BSpline.__call__")
    'BSpline_call'
    """
    owner, _, method = name.rpartition(".")
    return f"{owner}_{method.strip('_')}" if owner else name


for _module, _topics in RULES.items():
    for _topic, _names in _topics.items():
        for _name in _names.split():
            register(
                _module,
                _name,
                f"{__name__}.{_topic}:{rule_name(_name)}",
                harmless=_IN_PLACE,
                always=_name in _ALWAYS,
                recorded=True,
                fills=_module == "scipy.ndimage" and _topic != "ndimage.regions",
            )
