import { expect } from "bun:test"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/TestClock"
import { make } from "../../../src/crawl/render/Browsers.ts"
import { limits, Refused } from "../../../src/crawl/render/Rendering.ts"
import { BrowserFailed } from "../../../src/foundation/browser/Start.ts"
import { effectWithTestClock, it } from "../../harness.ts"
import { document, page, type Script, scripted, sound } from "./scripted.ts"

const refusing = () => new Refused({ why: "robots" })

const store = () => Effect.succeed(Option.none())
const options = {
  limits: { ...limits, page: 60_000 },
  memory: { all: 1, each: 1 },
  store,
  unsandboxed: false,
  width: 2
}

/** A renderer whose browsers go by these scripts, one each, and by the last one from then on; `counts` has how many were started and closed. */
const rendering = (...scripts: ReadonlyArray<Script | "ends">) =>
  Effect.gen(function* () {
    const counts = { closed: 0, started: 0 }
    const start = Effect.gen(function* () {
      const kind = scripts[Math.min(counts.started, scripts.length - 1)] ?? sound
      counts.started += 1
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          counts.closed += 1
        })
      )
      let over: Effect.Effect<unknown> = Effect.void
      const ending: Script = (command, say) => {
        if (command.params?.budget === undefined) sound(command, say)
        else Effect.runFork(over)
      }
      const { browser, end } = yield* scripted(kind === "ends" ? ending : kind)
      over = end
      return browser
    })
    const renderer = yield* make(start, options)
    const render = renderer.render(page, refusing).pipe(
      Effect.as("rendered"),
      Effect.catchAll(({ reason }) => Effect.succeed(reason))
    )
    return { counts, render }
  })

const reloading: Script = (command, say) => {
  if (command.params?.budget === 5_000) say("Fetch.requestPaused", document("r2", page.url.href))
  else sound(command, say)
}

it("starts a browser with the first page, and keeps it for the next", function* () {
  const { counts, render } = yield* rendering(sound)
  expect(counts.started).toBe(0)
  expect([yield* render, yield* render]).toEqual(["rendered", "rendered"])
  expect(counts).toEqual({ closed: 0, started: 1 })
})

it("replaces a browser after 100 pages", function* () {
  const { counts, render } = yield* rendering(sound)
  const results = yield* Effect.replicateEffect(render, 101)
  expect(new Set(results)).toEqual(new Set(["rendered"]))
  expect(counts).toEqual({ closed: 1, started: 2 })
})

it("keeps a browser whose page asked for itself again", function* () {
  const { counts, render } = yield* rendering(reloading)
  expect([yield* render, yield* render]).toEqual(["reload", "reload"])
  expect(counts).toEqual({ closed: 0, started: 1 })
})

effectWithTestClock("replaces a browser whose page did not end", function* () {
  const waiting = yield* Deferred.make<void>()
  const hanging: Script = (command, say) => {
    if (command.params?.budget === undefined) sound(command, say)
    else Effect.runSync(Deferred.succeed(waiting, undefined))
  }
  const { counts, render } = yield* rendering(hanging, sound)
  const first = yield* Effect.fork(render)
  yield* Deferred.await(waiting)
  yield* TestClock.adjust("1 minute")
  expect([yield* Fiber.join(first), yield* render]).toEqual(["time", "rendered"])
  expect(counts).toEqual({ closed: 1, started: 2 })
})

/** Never ends the time of its pages; `waiting` gets an item for each. */
const hanging = Effect.map(Queue.unbounded<void>(), (waiting) => {
  const script: Script = (command, say) => {
    if (command.params?.budget === undefined) sound(command, say)
    else Effect.runSync(Queue.offer(waiting, undefined))
  }
  return { script, waiting }
})

effectWithTestClock("renders a page alone when its time was over beside a page that hung", function* () {
  const { script, waiting } = yield* hanging
  const { counts, render } = yield* rendering(script, sound)
  const both = yield* Effect.fork(Effect.all([render, render], { concurrency: "unbounded" }))
  yield* Queue.takeN(waiting, 2)
  yield* TestClock.adjust("1 minute")
  expect(yield* Fiber.join(both)).toEqual(["rendered", "rendered"])
  expect(counts).toEqual({ closed: 1, started: 2 })
})

effectWithTestClock("gives two pages that hang side by side twice the time of a page together", function* () {
  const { script, waiting } = yield* hanging
  const { counts, render } = yield* rendering(script)
  const both = yield* Effect.fork(Effect.all([render, render], { concurrency: "unbounded" }))
  yield* Queue.takeN(waiting, 2)
  yield* TestClock.adjust("1 minute")
  for (const _ of ["first", "second"]) {
    yield* Queue.take(waiting)
    yield* TestClock.adjust("30 seconds")
  }
  expect(yield* Fiber.join(both)).toEqual(["time", "time"])
  expect(yield* Clock.currentTimeMillis).toBe(120_000)
  expect(counts).toEqual({ closed: 3, started: 3 })
})

effectWithTestClock("gives a late page no more time when the page beside it was quick", function* () {
  const waiting = yield* Deferred.make<void>()
  const first: Script = (command, say) => {
    if (command.params?.budget === 5_000 && Effect.runSync(Deferred.succeed(waiting, undefined))) return
    sound(command, say)
  }
  const { counts, render } = yield* rendering(first)
  const hung = yield* Effect.fork(render)
  yield* Deferred.await(waiting)
  expect(yield* render).toBe("rendered")
  yield* TestClock.adjust("1 minute")
  expect(yield* Fiber.join(hung)).toBe("time")
  expect(counts).toEqual({ closed: 1, started: 1 })
})

it("renders a page once more, in another browser, when its browser ended", function* () {
  const { counts, render } = yield* rendering("ends", sound)
  expect(yield* render).toBe("rendered")
  expect(counts).toEqual({ closed: 1, started: 2 })
})

it("charges a page that ends every browser, after two of them", function* () {
  const { counts, render } = yield* rendering("ends")
  expect(yield* render).toBe("crashed")
  expect(counts).toEqual({ closed: 2, started: 2 })
})

it("says why no browser starts", function* () {
  const message = "The browser has no shared memory."
  const renderer = yield* make(new BrowserFailed({ code: "no_shared_memory", message }), options)
  const error = yield* Effect.flip(renderer.render(page, refusing))
  expect(error).toMatchObject({ lack: "no_shared_memory", reason: "no_browser" })
})
