/** The headers of a limit: the limit, what is left of it, and the seconds until there is more. */
export const rateHeaders = (limit: number, remaining: number, reset: number) => ({
  "x-ratelimit-limit": String(limit),
  "x-ratelimit-remaining": String(remaining),
  "x-ratelimit-reset": String(reset)
})

/** The headers of an answer to a caller who has to wait, in seconds. */
export const waitHeaders = (limit: number, wait: number) => ({
  ...rateHeaders(limit, 0, wait),
  "retry-after": String(wait)
})
