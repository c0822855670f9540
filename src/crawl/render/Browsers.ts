import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { type Browser, startBrowser, usualBounds } from "../../foundation/browser/Browser.ts"
import type { BrowserMissing } from "../../foundation/browser/Find.ts"
import type { BrowserFailed } from "../../foundation/browser/Start.ts"
import { type FailureReason, type Fetch, type Limits, limits, type Page, Renderer, RenderFailed } from "./Rendering.ts"
import * as Store from "./Store.ts"
import { renderIn } from "./Tab.ts"

/** Pages per browser: a replacement removes all that pages leave in it. */
const pagesOfOne = 100

interface Running {
  readonly browser: Browser
  readonly isOver: Effect.Effect<boolean>
  readonly scope: Scope.CloseableScope
  /** Pages that it has begun. */
  readonly begun: number
  readonly open: number
}

interface Options {
  /** Pages at a time. */
  readonly width: number
  readonly limits: Limits
  readonly memory: typeof usualBounds
  /** Whether root runs the browser without its sandbox, and not as an unprivileged user. */
  readonly unsandboxed: boolean
}

const usual: Options = { limits, memory: usualBounds, unsandboxed: false, width: 2 }

/** This page or another one ended the browser. */
class BrowserEnded extends Data.TaggedError("BrowserEnded")<{ readonly failure: RenderFailed }> {}

/** The time of a page is over, perhaps because another one took the processors. */
class Late extends Data.TaggedError("Late")<{ readonly failure: RenderFailed; readonly span: Span }> {}

/** The begin and end of a rendering in epoch ms. */
interface Span {
  readonly begin: number
  readonly end: number
}

const shared = (one: Span, other: Span) => Math.max(0, Math.min(one.end, other.end) - Math.max(one.begin, other.begin))

const isLate = (error: RenderFailed | BrowserEnded): error is RenderFailed =>
  error._tag === "RenderFailed" && error.reason === "time"

/** Time between the end of a page and the end of its browser that caused it. */
const grace = "200 millis"

/** Tells a failure of the page from the end of its browser. */
const blame = (browser: Browser) => (failure: RenderFailed) =>
  failure.reason === "time" || failure.reason === "reload"
    ? Effect.fail(failure)
    : browser.ended.pipe(
        Effect.timeoutOption(grace),
        Effect.flatMap((ended) => Effect.fail(Option.isSome(ended) ? new BrowserEnded({ failure }) : failure))
      )

/** Failures that may damage the browser. */
const harmful: ReadonlyArray<FailureReason> = ["time", "memory", "crashed"]

const isHarmful = (exit: Exit.Exit<unknown, RenderFailed | BrowserEnded>): boolean =>
  Exit.isFailure(exit) &&
  Option.match(Cause.failureOption(exit.cause), {
    onNone: () => true,
    onSome: (error) => error._tag === "BrowserEnded" || harmful.includes(error.reason)
  })

/** Starts a browser for the first page, and replaces it after its last one. */
export const make = (
  start: Effect.Effect<Browser, BrowserMissing | BrowserFailed, Scope.Scope>,
  { store, ...options }: Options & Pick<typeof Renderer.Service, "store">
) =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(options.width)
    const change = yield* Effect.makeSemaphore(1)
    const current = yield* Ref.make(Option.none<Ref.Ref<Running>>())
    const product = yield* Ref.make<string | null>(null)
    const close = (running: Running) => Scope.close(running.scope, Exit.void)

    const fresh = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const browser = yield* start.pipe(
        Scope.extend(scope),
        Effect.interruptible,
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      yield* Ref.set(product, browser.product)
      const over = yield* Deferred.make<void>()
      yield* browser.ended.pipe(
        Effect.zipRight(Deferred.succeed(over, undefined)),
        Effect.interruptible,
        Effect.forkIn(scope)
      )
      const isOver = Deferred.isDone(over)
      const running = yield* Ref.make<Running>({ begun: 0, browser, isOver, open: 0, scope })
      yield* Ref.set(current, Option.some(running))
      return running
    })

    /** Takes the browser out of use; the last of its pages closes it. */
    const retire = Effect.fnUntraced(function* (running: Ref.Ref<Running>) {
      const used = yield* Ref.get(current)
      if (Option.isSome(used) && used.value === running) yield* Ref.set(current, Option.none())
      const state = yield* Ref.get(running)
      if (state.open === 0) yield* close(state)
    })

    /** The browser in use, unless it has ended. */
    const usable = Effect.gen(function* () {
      const used = yield* Ref.get(current)
      if (Option.isNone(used)) return used
      const { isOver } = yield* Ref.get(used.value)
      if (!(yield* isOver)) return used
      yield* retire(used.value)
      return Option.none()
    })

    const take = Effect.gen(function* () {
      const running = yield* Effect.flatMap(usable, Option.match({ onNone: () => fresh, onSome: Effect.succeed }))
      yield* Ref.update(running, (state) => ({ ...state, begun: state.begun + 1, open: state.open + 1 }))
      return running
    }).pipe(change.withPermits(1))

    const giveBack = Effect.fnUntraced(function* (running: Ref.Ref<Running>, isBroken: boolean) {
      const state = yield* Ref.updateAndGet(running, (old) => ({ ...old, open: old.open - 1 }))
      const used = yield* Ref.get(current)
      const isUsed = Option.isSome(used) && used.value === running
      if (isBroken || !isUsed || state.begun >= pagesOfOne) yield* retire(running)
    }, change.withPermits(1))

    yield* Effect.addFinalizer(() =>
      Effect.flatMap(Ref.get(current), (used) =>
        Option.isSome(used) ? Effect.flatMap(Ref.get(used.value), close) : Effect.void
      )
    )

    const attempt = (page: Page, fetch: Fetch, limits: Limits) =>
      Effect.acquireUseRelease(
        Effect.mapError(
          Effect.tapError(take, ({ message }) => Effect.logWarning(`JavaScript is not rendered. ${message}`)),
          ({ code }) => new RenderFailed({ errors: [], lack: code, reason: "no_browser", refused: [], requests: 0 })
        ),
        (running) =>
          Effect.flatMap(Ref.get(running), ({ browser }) =>
            Effect.catchAll(renderIn(browser, page, fetch, limits), blame(browser))
          ),
        (running, exit) => giveBack(running, isHarmful(exit))
      )

    const half = Duration.toMillis(options.limits.page) / 2
    /** Renderings that failed or took half of the time of a page. */
    const costly: Array<Span> = []

    /** Renders beside other pages. */
    const beside = (page: Page, fetch: Fetch) =>
      Effect.gen(function* () {
        const begin = yield* Clock.currentTimeMillis
        const exit = yield* Effect.exit(attempt(page, fetch, options.limits))
        const span = { begin, end: yield* Clock.currentTimeMillis }
        if (Exit.isFailure(exit) || span.end - begin >= half) costly.push(span)
        return yield* Effect.catchIf(exit, isLate, (failure) => new Late({ failure, span }))
      }).pipe(turn.withPermits(1))

    const alone = turn.withPermits(options.width)

    /**
     * Renders a late page once more, for half of the time in which costly pages ran beside it. Two pages that hang for 5 seconds side by side then take
     * 10 seconds together.
     */
    const again = (page: Page, fetch: Fetch, { failure, span }: Late) =>
      Effect.suspend(() => {
        const others = costly.filter((other) => other !== span)
        const millis = others.reduce((sum, other) => sum + shared(span, other), 0) / 2
        return millis === 0 ? failure : attempt(page, fetch, { ...options.limits, page: Math.min(half, millis) })
      })

    return Renderer.of({
      browser: Ref.get(product),
      store,
      width: options.width,
      // Another page may be at fault; alone, the page is.
      render: (page, fetch) =>
        beside(page, fetch).pipe(
          Effect.catchTags({
            BrowserEnded: () => alone(attempt(page, fetch, options.limits)),
            Late: (late) => alone(again(page, fetch, late))
          }),
          Effect.catchTag("BrowserEnded", ({ failure }) => Effect.fail(failure))
        )
    })
  })

/** Renders in a browser of this machine. The first page starts it. */
export const layer = (options: Partial<Options> = {}) =>
  Layer.scoped(
    Renderer,
    Effect.gen(function* () {
      const all = { ...usual, ...options }
      // Each service alone: the whole context has the scope of this layer, and a browser needs a shorter one.
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const start = startBrowser({ bounds: all.memory, unsandboxed: all.unsandboxed }).pipe(
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.provideService(Path.Path, path)
      )
      return yield* make(start, { ...all, store: yield* Store.make })
    })
  )
