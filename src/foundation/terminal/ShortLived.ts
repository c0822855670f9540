/**
 * Environment of our processes that live for seconds: JavaScriptCore compiles hot functions later, the first time after two and a half times its default
 * number of calls, for good after sixteen times. With its defaults it spends a third of a crawl of 50 pages on compiling; a crawl of 1,000 pages costs
 * the same with either.
 */
export const shortLived = {
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "2500"
}
