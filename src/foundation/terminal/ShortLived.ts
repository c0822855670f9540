/**
 * Environment of our short-lived processes. JavaScriptCore compiles hot functions later: first after two and a half times its default number of calls, fully
 * after sixteen times. With the defaults, compilation takes a third of a crawl of 50 pages; a crawl of 1,000 pages costs as much either way.
 */
export const shortLived = {
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "2500"
}
