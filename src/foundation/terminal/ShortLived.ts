/**
 * Environment of a process of ours that lives for seconds: JavaScriptCore compiles hot functions later, the first time after two and a half times as many
 * calls as it would by itself, for good after sixteen times as many. By itself it spends a third of a crawl of 50 pages on compiling; one of 1,000 pages costs as
 * much with these.
 */
export const shortLived = {
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "2500"
}
