/** The headers that tell a caller of a limit: what it is, what is left of it, and in how many seconds more is. */
export const rateHeaders = (limit: number, remaining: number, reset: number) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset)
})

/** The headers of an answer to a caller who has to wait so many seconds. */
export const waitHeaders = (limit: number, wait: number) => ({
  ...rateHeaders(limit, 0, wait),
  "retry-after": String(wait)
})
