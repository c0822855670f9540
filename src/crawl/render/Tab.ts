import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Ref from "effect/Ref"
import type * as Scope from "effect/Scope"
import type { Browser } from "../../foundation/browser/Browser.ts"
import type { CdpError, Session } from "../../foundation/browser/Cdp.ts"
import { intercept } from "./Intercept.ts"
import {
  type FailureReason,
  type Fetch,
  type Limits,
  type Page,
  type Rendered,
  RenderFailed,
  type Seen
} from "./Rendering.ts"

/** The start of every page's clock in seconds since 1970: 1 January 2026, a constant, so that reports of two days are comparable. */
const epoch = 1_767_225_600

/** Virtual milliseconds for scripts, and after the forced frame. The clock stands still during a request. */
const budget = 5_000
const afterFrame = 500

/** As wide as a phone, and as high as Google's renderer lets pages grow, so that elements that wait for the viewport appear. */
const viewport = { width: 412, height: 12_140, deviceScaleFactor: 1, mobile: true }

/**
 * Random numbers that are the same each time (mulberry32), and a silent console: each of its lines would be a message to this process, and a page can write
 * lines without end.
 */
const seeds = `(() => {
  const loud = ["assert", "debug", "dir", "dirxml", "error", "group", "info", "log", "table", "trace", "warn"]
  for (const name of loud) console[name] = () => {}
  let state = 0x9e3779b9
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  Math.random = () => next() / 4294967296
  const fill = function getRandomValues(array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    for (let at = 0; at < bytes.length; at++) bytes[at] = next() & 255
    return array
  }
  Crypto.prototype.getRandomValues = fill
  Crypto.prototype.randomUUID = function randomUUID() {
    const bytes = fill(new Uint8Array(16))
    bytes[6] = (bytes[6] & 15) | 64
    bytes[8] = (bytes[8] & 63) | 128
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
  }
})()`

/** The clock of a worker, which the page's virtual time does not reach: it begins with the page's, and goes on by a millisecond each time it is read. */
const workerClock = `(() => {
  const { Date: Real } = self
  const begin = ${epoch * 1000}
  let now = begin
  const read = () => now++
  self.Date = function Date(...values) {
    if (new.target === undefined) return new Real(read()).toString()
    return Reflect.construct(Real, values.length === 0 ? [read()] : values, new.target)
  }
  Object.setPrototypeOf(self.Date, Real)
  self.Date.prototype = Real.prototype
  Real.prototype.constructor = self.Date
  Real.now = read
  Performance.prototype.now = () => read() - begin
})()`

const mostErrors = 20
const longestError = 300

const everything = { patterns: [{ urlPattern: "*" }] }
const attachAll = { autoAttach: true, flatten: true, waitForDebuggerOnStart: true }

/** Sends commands in this order, without waiting between them. */
const together = (commands: ReadonlyArray<Effect.Effect<unknown, CdpError>>) =>
  Effect.all(commands, { concurrency: "unbounded", discard: true })

type Answering = Pick<Effect.Effect.Success<ReturnType<typeof intercept>>, "answer">

/** Answers the requests of a session from its first one, and of the frames and workers that it starts. Workers get seeds and a clock before their code runs. */
const guard = (session: Session, answering: Answering): Effect.Effect<void, CdpError, Scope.Scope> =>
  Effect.gen(function* () {
    yield* session.listen("Fetch.requestPaused", (paused) => answering.answer(session, paused))
    yield* session.listen("Target.attachedToTarget", ({ sessionId, targetInfo }) =>
      Effect.gen(function* () {
        const child = yield* session.attached(sessionId)
        yield* Effect.ignore(guard(child, answering))
        if (targetInfo.type.endsWith("worker"))
          yield* Effect.ignore(child.send("Runtime.evaluate", { expression: `${seeds}; ${workerClock}` }))
        yield* child.send("Runtime.runIfWaitingForDebugger")
      }).pipe(Effect.ignore)
    )
    yield* together([session.send("Fetch.enable", everything), session.send("Target.setAutoAttach", attachAll)])
  })

/** Opens a tab in a new browser context, so that no page sees data of another. The windows of a page are closed. */
const open = Effect.fnUntraced(function* ({ session }: Browser) {
  const { browserContextId } = yield* Effect.acquireRelease(
    session.send("Target.createBrowserContext", { disposeOnDetach: true }),
    (context) =>
      session
        .send("Target.disposeBrowserContext", context)
        .pipe(Effect.interruptible, Effect.timeout("2 seconds"), Effect.ignore)
  )
  const own = yield* Ref.make(Option.none<string>())
  yield* session.listen("Target.targetCreated", ({ targetInfo }) =>
    targetInfo.browserContextId === browserContextId && targetInfo.type === "page"
      ? Ref.get(own).pipe(
          Effect.flatMap((first) =>
            Option.isNone(first)
              ? Ref.set(own, Option.some(targetInfo.targetId))
              : Effect.ignore(session.send("Target.closeTarget", { targetId: targetInfo.targetId }))
          )
        )
      : Effect.void
  )
  yield* session.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId })
  const { targetId } = yield* session.send("Target.createTarget", { browserContextId, url: "about:blank" })
  const { sessionId } = yield* session.send("Target.attachToTarget", { flatten: true, targetId })
  return { frame: targetId, tab: yield* session.attached(sessionId) }
})

/** One line of an uncaught exception. */
const lineOf = (text: string): string => (text.split("\n")[0] ?? "").slice(0, longestError)

/** Prepares the tab before its first load. */
const prepare = Effect.fnUntraced(function* (tab: Session, userAgent: string) {
  const errors = yield* Ref.make<ReadonlyArray<string>>([])
  yield* tab.listen("Runtime.exceptionThrown", ({ exceptionDetails: { exception, text } }) =>
    Ref.update(errors, (all) => (all.length < mostErrors ? [...all, lineOf(exception?.description ?? text)] : all))
  )
  yield* tab.listen("Page.javascriptDialogOpening", ({ type }) =>
    Effect.ignore(tab.send("Page.handleJavaScriptDialog", { accept: type === "alert" || type === "beforeunload" }))
  )
  yield* together([
    tab.send("Page.enable"),
    tab.send("Runtime.enable"),
    tab.send("Inspector.enable"),
    tab.send("Network.enable", { maxResourceBufferSize: 0, maxTotalBufferSize: 0 }),
    tab.send("Network.setBypassServiceWorker", { bypass: true }),
    tab.send("Emulation.setDeviceMetricsOverride", viewport),
    tab.send("Emulation.setUserAgentOverride", { userAgent }),
    tab.send("Page.addScriptToEvaluateOnNewDocument", { source: seeds }),
    tab.send("Emulation.setVirtualTimePolicy", { initialVirtualTime: epoch, policy: "pause" })
  ])
  return errors
})

/** Grants virtual time. The clock goes on while no request is open; the limit of starved tasks is out of reach. */
const grant = (tab: Session, milliseconds: number) =>
  tab.send("Emulation.setVirtualTimePolicy", {
    budget: milliseconds,
    maxVirtualTimeTaskStarvationCount: 100_000,
    policy: "pauseIfNetworkFetchesPending"
  })

/** Forces a frame, because paints do not follow virtual time and elements may wait for one. */
const forceFrame = (tab: Session) =>
  tab.send("Page.captureScreenshot", {
    clip: { height: 1, scale: 1, width: 1, x: 0, y: 0 },
    format: "jpeg",
    quality: 0
  })

/** The current document with its shadow roots, read from outside, because a page may replace its own functions. */
const documentOf = Effect.fnUntraced(function* (tab: Session) {
  const { root } = yield* tab.send("DOM.getDocument", { depth: 0 })
  const { outerHTML } = yield* tab.send("DOM.getOuterHTML", { includeShadowDOM: true, nodeId: root.nodeId })
  return outerHTML
})

/**
 * Loads the page and lets its time pass. The commit of the document grants the time, because the blank page would spend an earlier grant. Nothing waits for the
 * answer of that command, which would wait for the document.
 */
const load = Effect.fnUntraced(function* (tab: Session, url: URL) {
  const expired = yield* Queue.unbounded<void>()
  const documents = yield* Ref.make<ReadonlyArray<string>>([])
  yield* tab.listen("Emulation.virtualTimeBudgetExpired", () => Queue.offer(expired, undefined))
  yield* tab.listen("Page.frameNavigated", ({ frame }) =>
    frame.parentId === undefined
      ? Effect.flatMap(
          Ref.updateAndGet(documents, (all) => [...all, frame.url]),
          (all) => (all.length === 1 ? Effect.ignore(grant(tab, budget)) : Effect.void)
        )
      : Effect.void
  )
  yield* Effect.forkScoped(Effect.ignore(tab.send("Page.navigate", { url: url.href })))
  yield* Queue.take(expired)
  yield* forceFrame(tab)
  yield* Effect.forkScoped(Effect.ignore(grant(tab, afterFrame)))
  yield* Queue.take(expired)
  return { html: yield* documentOf(tab), second: Option.fromNullable((yield* Ref.get(documents))[1]) }
})

/** Ends endless scripts of a tab, so that it can be closed. */
const stop = (tab: Session) =>
  together([
    tab.send("Runtime.terminateExecution"),
    tab.send("Emulation.setScriptExecutionDisabled", { value: true })
  ]).pipe(Effect.interruptible, Effect.timeout("500 millis"), Effect.ignore)

/** Renders a page in a new tab, which the end of the effect closes. */
export const renderIn = Effect.fnUntraced(function* (browser: Browser, page: Page, fetch: Fetch, limits: Limits) {
  const before = (yield* browser.excesses).length
  const nothing = Effect.succeed<Seen>({ errors: [], refused: [], requests: 0 })
  const seen = yield* Ref.make(nothing)
  const failed = (reason: FailureReason) =>
    Effect.flatMap(Effect.flatten(Ref.get(seen)), (all) => new RenderFailed({ ...all, lack: null, reason }))
  /** The failure of an ended process: the memory watch, a too long message, or a crash ended it. */
  const gone = Effect.flatMap(browser.excesses, (excesses) => {
    const [excess] = excesses.slice(before)
    if (excess === undefined) return failed("crashed")
    return failed(excess === "message" ? "too_large" : "memory")
  })

  const work = Effect.gen(function* () {
    const { frame, tab } = yield* open(browser)
    const requests = yield* intercept(page, frame, fetch, limits)
    const crashed = yield* Deferred.make<void>()
    yield* tab.listen("Inspector.targetCrashed", () => Deferred.succeed(crashed, undefined))
    yield* guard(tab, requests)
    const errors = yield* prepare(tab, page.userAgent)
    yield* Ref.set(
      seen,
      Effect.zipWith(requests.seen, Ref.get(errors), (asked, thrown) => ({ ...asked, errors: thrown }))
    )
    const { html, second } = yield* load(tab, page.url).pipe(
      Effect.raceFirst(Effect.zipRight(requests.reloaded, failed("reload"))),
      Effect.raceFirst(Effect.zipRight(requests.flooded, failed("too_large"))),
      Effect.raceFirst(Effect.zipRight(Effect.raceFirst(Deferred.await(crashed), tab.ended), gone)),
      Effect.onInterrupt(() => stop(tab))
    )
    if (html.length > limits.html) return yield* failed("too_large")
    const redirect = Option.orElse(yield* requests.redirect, () => second)
    const rendered: Rendered = { ...(yield* Effect.flatten(Ref.get(seen))), html, redirect: Option.getOrNull(redirect) }
    return rendered
  })

  return yield* Effect.scoped(work).pipe(
    Effect.timeoutOption(limits.page),
    Effect.flatMap(Option.match({ onNone: () => failed("time"), onSome: Effect.succeed })),
    Effect.catchTag("CdpError", () => gone),
    Effect.raceFirst(Effect.zipRight(browser.ended, gone))
  )
})
