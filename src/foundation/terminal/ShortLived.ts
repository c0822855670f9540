/**
 * Environment of our short-lived processes. JavaScriptCore compiles hot functions later: first after two and a half times its default number of calls, fully
 * after sixteen times. With the defaults, compilation takes a third of a crawl of 50 pages; a crawl of 1,000 pages costs as much either way. It also collects
 * garbage as on a machine with 176 MiB of memory: with the default, the heap of a crawl of 1,000 pages grows to 217 MiB instead of 172, and touching fresh
 * memory costs more CPU than collecting does. The limit only sets the pace of growth, so a larger crawl still gets the memory that it needs.
 */
export const shortLived = {
  BUN_JSC_forceRAMSize: `${176 * 2 ** 20}`,
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "2500"
}
