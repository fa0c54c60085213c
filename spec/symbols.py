"""The paper's symbols, one place. They carry no assumption: a claim states its own."""

from sympy import Symbol

mu = Symbol("mu")  # momentum coefficient
eta = Symbol("eta")  # learning rate
K = Symbol("K")  # stiffness
delta = Symbol("delta")  # time of one step
tau = Symbol("tau")  # refresh lag, in time
K_ref = Symbol("K_ref")  # refresh interval, in steps
G = Symbol("G")  # group size
beta = Symbol("beta")  # weight of the KL anchor
D = Symbol("D")  # noise intensity at G = 1
a = Symbol("a")  # gain eta*K
s = Symbol("s")  # a characteristic exponent
t = Symbol("t")  # time
p = Symbol("p")  # expected reward, the order parameter
omega_n = Symbol("omega_n")  # natural frequency
zeta = Symbol("zeta")  # damping ratio
R_0 = Symbol("R_0")  # initial reward
R_inf = Symbol("R_inf")  # plateau
M_eff = Symbol("M_eff")  # effective mass
C_eff = Symbol("C_eff")  # effective damping
K_eff = Symbol("K_eff")  # effective stiffness
