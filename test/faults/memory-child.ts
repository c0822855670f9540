/** A separate process: crawls a sound site to warm up, then a hostile one, and prints the costs as JSON. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { crawl } from "../../src/crawl/Crawl.ts"
import { Outbound } from "../../src/foundation/outbound/Outbound.ts"
import { client } from "../foundation/outbound/client.ts"

const [sound = "", hostile = ""] = process.argv.slice(2)

const mebibytes = () => process.memoryUsage.rss() / 1024 / 1024

/** The count of each reason. */
const run = (url: string) =>
  Stream.runFold(
    crawl(new URL(url), { maxPages: 51, checkDeadLinks: true, deadline: "30 seconds" }),
    new Map<string, number>(),
    (reasons, event) =>
      event._tag === "Page"
        ? new Map([...reasons, [event.page.health_reason, (reasons.get(event.page.health_reason) ?? 0) + 1]])
        : reasons
  ).pipe(Effect.provide(Layer.succeed(Outbound, client())))

const program = Effect.gen(function* () {
  yield* run(sound)
  Bun.gc(true)
  const baseline = mebibytes()
  let peak = baseline
  const watch = Effect.sync(() => {
    peak = Math.max(peak, mebibytes())
  })
  const watching = yield* Effect.fork(Effect.repeat(watch, Schedule.spaced("3 millis")))
  const reasons = yield* run(hostile)
  yield* watch
  yield* Fiber.interrupt(watching)
  return { baseline, over: peak - baseline, reasons: Object.fromEntries(reasons) }
})

console.log(JSON.stringify(await Effect.runPromise(program)))
