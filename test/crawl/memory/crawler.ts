/** A separate process: crawls an ordinary site to warm up, then one kind of page, and prints the costs as JSON. */
import { readFileSync, writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { crawl } from "../../../src/crawl/Crawl.ts"
import { loopback } from "../site/Loopback.ts"

const [origin = "", kind = "", deadline = ""] = process.argv.slice(2)

const lastOf = (path: string, millis: number) =>
  crawl(new URL(`${origin}/${encodeURIComponent(path)}/`), {
    maxPages: 50,
    checkDeadLinks: true,
    deadline: millis
  }).pipe(Stream.runLast, Effect.map(Option.getOrThrow), Effect.provide(loopback))

/** Resident memory in MiB, now and at its highest since the last reset. */
const memory = () => {
  const status = readFileSync("/proc/self/status", "utf8")
  const mebibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { now: mebibytes("VmRSS"), highest: mebibytes("VmHWM") }
}

await Effect.runPromise(lastOf("ordinary", 30_000))
Bun.gc(true)
const baseline = memory().now
writeFileSync("/proc/self/clear_refs", "5")
const startedAt = performance.now()
const event = await Effect.runPromise(lastOf(kind, Number(deadline)))
const millis = performance.now() - startedAt
if (event._tag !== "Finished") throw new Error("The crawl did not finish")
const { fetched } = event.report.summary.pages
process.stdout.write(JSON.stringify({ baseline, over: memory().highest - baseline, millis, fetched }))
