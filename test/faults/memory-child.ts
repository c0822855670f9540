import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { crawl } from "../../src/crawl/Crawl.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { client } from "../outbound/client.ts"

/** Crawls the sites it is given one after another, each `/sound` site before as the baseline, and prints MiB of RSS. */
const run = (url: string) =>
  Stream.runFold(
    crawl(new URL(url), { maxPages: 50, checkDeadLinks: true, deadline: "60 seconds" }),
    { pages: 0, reasons: new Set<string>() },
    (seen, event) =>
      event._tag === "Page"
        ? { pages: seen.pages + 1, reasons: seen.reasons.add(event.page.health_reason) }
        : seen
  ).pipe(Effect.provide(Layer.succeed(Outbound, client())))

const mebibytes = () => process.memoryUsage.rss() / 1024 / 1024

const [sound = "", faulty = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  yield* run(sound)
  const baseline = mebibytes()
  let peak = baseline
  const watch = Effect.sync(() => {
    peak = Math.max(peak, mebibytes())
  })
  const watching = yield* Effect.fork(Effect.repeat(watch, Schedule.spaced("5 millis")))
  const startedAt = performance.now()
  const { pages, reasons } = yield* run(faulty)
  const millis = performance.now() - startedAt
  yield* watch
  yield* Fiber.interrupt(watching)
  return { baseline, peak, pages, reasons: [...reasons], millis }
})

console.log(JSON.stringify(await Effect.runPromise(program)))
