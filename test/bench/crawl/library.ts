/** A separate process: crawls a site with the library, and prints the costs. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CrawlResult, crawl } from "../../../src/crawl/Crawl.ts"
import { loopback } from "../../crawl/site/Loopback.ts"

const [start = "", maxPages = "50"] = process.argv.slice(2)

const seconds = ({ system, user }: NodeJS.CpuUsage): number => (system + user) / 1e6
const mebibytes = () => (process.memoryUsage.rss() / 2 ** 20).toFixed(0)

const before = process.cpuUsage()
let last = before
let read = 0
let report: CrawlResult | undefined
await Effect.runPromise(
  crawl(new URL(start), { maxPages: Number(maxPages), checkDeadLinks: true, deadline: "1 hour" }).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event._tag === "Finished") report = event.report
        if (event._tag !== "Page") return
        last = process.cpuUsage()
        if (++read % 2000 === 0) console.log(`${read} pages\t${mebibytes()} MiB`)
      })
    ),
    Effect.provide(loopback)
  )
)
const after = process.cpuUsage()
const whole = seconds(after) - seconds(before)
console.log(`fetched\t${report?.summary.pages.fetched ?? 0} (${report?.summary.termination ?? "no report"})`)
console.log(`CPU s\t${whole.toFixed(2)}\tms a page\t${((1000 * whole) / Number(maxPages)).toFixed(1)}`)
console.log(`after the last page s\t${(seconds(after) - seconds(last)).toFixed(2)}`)
