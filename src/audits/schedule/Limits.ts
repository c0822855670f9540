/** Workers that may die over one audit before it is given up. */
export const attemptsAtMost = 3
