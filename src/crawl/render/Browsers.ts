import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { type Browser, startBrowser, usualBounds } from "../../foundation/browser/Browser.ts"
import { type FailureReason, type Fetch, type Limits, limits, type Page, Renderer, RenderFailed } from "./Rendering.ts"
import { renderIn } from "./Tab.ts"

/** A browser is replaced after so many pages: what pages leave in it ends with it. */
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
  /** True: also as root without the browser's sandbox; else root drops to an unprivileged user. */
  readonly unsandboxed: boolean
}

const usual: Options = { limits, memory: usualBounds, unsandboxed: false, width: 2 }

/** The browser has ended, by this page or by a neighbour of it. */
class BrowserEnded extends Data.TaggedError("BrowserEnded")<{ readonly failure: RenderFailed }> {}

/** How long the end of a browser may take to show after the end of its page. */
const grace = "200 millis"

/** Tells a page that failed for itself from one whose browser has ended. */
const blame = (browser: Browser) => (failure: RenderFailed) =>
  failure.reason === "time" || failure.reason === "reload"
    ? Effect.fail(failure)
    : browser.ended.pipe(
        Effect.timeoutOption(grace),
        Effect.flatMap((ended) => Effect.fail(Option.isSome(ended) ? new BrowserEnded({ failure }) : failure))
      )

/** Ends of a page after which its browser may not be what it was. */
const harmful: ReadonlyArray<FailureReason> = ["time", "memory", "crashed"]

const isHarmful = (exit: Exit.Exit<unknown, RenderFailed | BrowserEnded>): boolean =>
  Exit.isFailure(exit) &&
  Option.match(Cause.failureOption(exit.cause), {
    onNone: () => true,
    onSome: (error) => error._tag === "BrowserEnded" || harmful.includes(error.reason)
  })

/** Starts a browser when the first page comes, and another when it is worn. */
export const make = (start: Effect.Effect<Browser, { readonly message: string }, Scope.Scope>, options: Options) =>
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

    /** The browser in use, unless it has ended while nobody looked. */
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

    const attempt = (page: Page, fetch: Fetch) =>
      Effect.acquireUseRelease(
        Effect.mapError(
          take,
          ({ message }) =>
            new RenderFailed({ detail: message, errors: [], reason: "no_browser", refused: [], requests: 0 })
        ),
        (running) =>
          Effect.flatMap(Ref.get(running), ({ browser }) =>
            Effect.catchAll(renderIn(browser, page, fetch, options.limits), blame(browser))
          ),
        (running, exit) => giveBack(running, isHarmful(exit))
      )

    return Renderer.of({
      browser: Ref.get(product),
      width: options.width,
      // A neighbour's fault is not the page's: alone, only its own is left.
      render: (page, fetch) =>
        attempt(page, fetch).pipe(
          turn.withPermits(1),
          Effect.catchTag("BrowserEnded", () => turn.withPermits(options.width)(attempt(page, fetch))),
          Effect.catchTag("BrowserEnded", ({ failure }) => Effect.fail(failure))
        )
    })
  })

/** Renders by a browser of this machine, which the first page starts. */
export const layer = (options: Partial<Options> = {}) =>
  Layer.scoped(
    Renderer,
    Effect.gen(function* () {
      const all = { ...usual, ...options }
      // One by one: the context has the scope of this layer too, and a browser ends with its own.
      const files = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const start = startBrowser({ bounds: all.memory, unsandboxed: all.unsandboxed }).pipe(
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.provideService(Path.Path, path)
      )
      return yield* make(start, all)
    })
  )
