import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type * as ConfigError from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Scope from "effect/Scope"
import { Rendering } from "../../foundation/browser/Settings.ts"
import { Renderer } from "./Rendering.ts"

interface Options {
  /** Whether root runs the browser without its sandbox, and not as an unprivileged user. */
  readonly unsandboxed: boolean
}

/** Pages at a time: a page takes one processor. */
const width = navigator.hardwareConcurrency > 1 ? 2 : 1

/** Renders in a browser of this machine. The first page loads the code for it and starts it: a crawl without such pages pays for neither. */
export const layer = (options: Options) =>
  Layer.scoped(
    Renderer,
    Effect.gen(function* () {
      const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
      const scope = yield* Effect.scope
      const browser = yield* Ref.make<Effect.Effect<string | null>>(Effect.succeed(null))
      const load = Effect.promise(() => import("./Browsers.ts")).pipe(
        Effect.flatMap((browsers) => Layer.build(browsers.layer({ ...options, width }))),
        Effect.map((built) => Context.get(built, Renderer)),
        Effect.tap((renderer) => Ref.set(browser, renderer.browser)),
        Effect.provide(context),
        Scope.extend(scope)
      )
      const loaded = yield* Effect.cached(load)
      return Renderer.of({
        browser: Effect.flatten(Ref.get(browser)),
        render: (page, fetch) => Effect.flatMap(loaded, (renderer) => renderer.render(page, fetch)),
        store: (body) => Effect.flatMap(loaded, (renderer) => renderer.store(body)),
        width
      })
    })
  )

/** Renders as `FINDABLE_RENDER` says. */
export const configured: Layer.Layer<never, ConfigError.ConfigError, FileSystem.FileSystem | Path.Path> =
  Layer.unwrapEffect(
    Effect.map(
      Rendering,
      (setting): Layer.Layer<never, never, FileSystem.FileSystem | Path.Path> =>
        setting === "off" ? Layer.empty : layer({ unsandboxed: setting === "unsandboxed" })
    )
  )
