/**
 * Environment of our short-lived processes: less memory for the same CPU (`bun test/bench/crawl.ts`). JavaScriptCore compiles a hot function for speed after
 * fifteen times its default number of calls, and almost never a second time: with the defaults, compilation takes a third of a crawl of 50 pages; a crawl of
 * 1,000 pages costs as much either way, and its compiled code takes 3 MiB less. JavaScriptCore also collects garbage as on a machine with 176 MiB of memory,
 * because touching fresh memory costs more CPU than collecting does: with the default, the process of a crawl of 1,000 pages grows to 217 MiB instead of 182.
 * The limit only sets the pace of growth, so a larger crawl still gets the memory that it needs. The allocator returns freed memory immediately, which saves
 * 4 MiB more.
 */
export const shortLived = {
  BUN_JSC_forceRAMSize: `${176 * 2 ** 20}`,
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "1000000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "15000",
  MIMALLOC_PURGE_DELAY: "0"
}
