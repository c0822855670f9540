import { expect } from "bun:test"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Ref from "effect/Ref"
import * as TestClock from "effect/TestClock"
import { limits, Refused } from "../../../src/crawl/render/Rendering.ts"
import { renderIn } from "../../../src/crawl/render/Tab.ts"
import { effectWithTestClock, it } from "../../harness.ts"
import { document, page, type Script, scripted, sound } from "./scripted.ts"

const refusing = () => new Refused({ why: "robots" })

const rendered = (script: Script, bounds: Partial<typeof limits> = {}) =>
  Effect.gen(function* () {
    const { browser, said } = yield* scripted(script)
    const result = yield* Effect.either(renderIn(browser, page, refusing, { ...limits, ...bounds }))
    return { result, said }
  })

const reasonOf = ({ result }: Effect.Effect.Success<ReturnType<typeof rendered>>) =>
  Either.match(result, { onLeft: ({ reason }) => reason, onRight: () => "rendered" })

it("grants the page its time after it was committed, and once more after a forced frame", function* () {
  const { result, said } = yield* rendered(sound)
  expect(Either.getOrThrow(result)).toEqual({
    errors: [],
    html: "<html>rendered</html>",
    redirect: null,
    refused: [],
    requests: 0
  })
  const timed = said.filter((name) => /VirtualTime|navigate|Screenshot|getOuterHTML|dispose|fulfill/.test(name))
  expect(timed).toEqual([
    "Emulation.setVirtualTimePolicy pause",
    "Page.navigate",
    "Fetch.fulfillRequest",
    "Emulation.setVirtualTimePolicy pauseIfNetworkFetchesPending 5000",
    "Page.captureScreenshot",
    "Emulation.setVirtualTimePolicy pauseIfNetworkFetchesPending 500",
    "DOM.getOuterHTML",
    "Target.disposeBrowserContext"
  ])
})

it("names the document that a script leads to, and what it refused and threw", function* () {
  const script: Script = (command, say) => {
    if (command.params?.budget === 5_000) {
      say("Fetch.requestPaused", document("r2", "http://site.test/other"))
      say("Fetch.requestPaused", { ...document("r3", "http://site.test/a.js"), resourceType: "Script" })
      say("Runtime.exceptionThrown", { exceptionDetails: { exception: { description: "Error: no\n at x" }, text: "" } })
    }
    sound(command, say)
  }
  const { result } = yield* rendered(script)
  expect(Either.getOrThrow(result)).toMatchObject({
    errors: ["Error: no"],
    redirect: "http://site.test/other",
    refused: [{ url: "http://site.test/a.js", why: "robots" }],
    requests: 1
  })
})

effectWithTestClock("ends scripts that do not end by the deadline, and closes the tab", function* () {
  const waiting = yield* Deferred.make<void>()
  const { browser, said } = yield* scripted((command, say) => {
    if (command.params?.budget === undefined) sound(command, say)
    else Effect.runSync(Deferred.succeed(waiting, undefined))
  })
  const running = yield* Effect.fork(Effect.flip(renderIn(browser, page, refusing, limits)))
  yield* Deferred.await(waiting)
  yield* TestClock.adjust("5 seconds")
  expect((yield* Fiber.join(running)).reason).toBe("time")
  expect(said.slice(-3)).toEqual([
    "Runtime.terminateExecution",
    "Emulation.setScriptExecutionDisabled",
    "Target.disposeBrowserContext"
  ])
})

it("fails where the page asks for itself again, or has more HTML than is read", function* () {
  const script: Script = (command, say) => {
    if (command.params?.budget === 5_000) say("Fetch.requestPaused", document("r2", page.url.href))
    else sound(command, say)
  }
  expect(reasonOf(yield* rendered(script))).toBe("reload")
  expect(reasonOf(yield* rendered(sound, { html: 10 }))).toBe("too_large")
})

it("fails where the page asks without end", function* () {
  const script: Script = (command, say) => {
    if (command.params?.budget === undefined) return sound(command, say)
    for (let n = 0; n < 9; n++)
      say("Fetch.requestPaused", { ...document(`i${n}`, "http://site.test/a.png"), resourceType: "Image" })
  }
  expect(reasonOf(yield* rendered(script, { asked: 9 }))).toBe("too_large")
})

it("tells a process that was ended for its memory from one that crashed", function* () {
  const crash: Script = (command, say) => {
    if (command.params?.budget === undefined) sound(command, say)
    else say("Inspector.targetCrashed", {})
  }
  expect(reasonOf(yield* rendered(crash))).toBe("crashed")
  const { browser, excesses } = yield* scripted((command, say) => {
    if (command.params?.budget !== undefined) Effect.runSync(Ref.set(excesses, ["each"]))
    crash(command, say)
  })
  const error = yield* Effect.flip(renderIn(browser, page, refusing, limits))
  expect(error.reason).toBe("memory")
})

it("closes windows that a page opens, and answers its dialogs", function* () {
  const script: Script = (command, say) => {
    if (command.method === "Target.createTarget") say("Target.targetCreated", window("main"))
    if (command.params?.budget === 5_000) {
      say("Target.targetCreated", window("opened"))
      say("Page.javascriptDialogOpening", { type: "confirm" })
    }
    sound(command, say)
  }
  const { said } = yield* rendered(script)
  expect(said.filter((name) => name === "Target.closeTarget" || name === "Page.handleJavaScriptDialog")).toEqual([
    "Target.closeTarget",
    "Page.handleJavaScriptDialog"
  ])
})

const window = (targetId: string) => ({ targetInfo: { browserContextId: "context", targetId, type: "page" } })
