/** Seconds of wall clock that a crawl may take; the crawl itself keeps to it. */
export const crawlSeconds = 90

/** Seconds after which a run that has started is over at the latest: the crawl and storing its result. */
export const runSeconds = 95

/** Channel that wakes the workers. */
export const channel = "findable_site_health"

/** How long a request may wait for the end of a run. */
export const endOfRun = { most: 50, when: "the run has ended" } as const
