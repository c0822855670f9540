/** Schedules that an account may have over the API: each costs a browser's time, which accounts share. */
export const schedulesPerAccount = 20

/** Workers that may die over one audit before it is given up. */
export const attemptsAtMost = 3
