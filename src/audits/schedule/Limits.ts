/** Seconds that a lease holds; a worker that does not renew it is taken for dead. */
export const leaseSeconds = 15

/** Between two renewals of a lease. */
export const renewal = "5 seconds"

/** Workers that may die over one audit before it is given up. */
export const attemptsAtMost = 3
