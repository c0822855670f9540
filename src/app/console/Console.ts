import { readdir } from "node:fs/promises"
import { join } from "node:path"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerError from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { apiError } from "../../foundation/http/ApiError.ts"
import { PublicUrl } from "../../foundation/http/Request.ts"
import { consolePath, icon } from "../server/Docs.ts"
import type { Assets, Unbuilt } from "./Bundle.ts"

/** Platform adapter: scripts and style of the console, from the package, or bundled from the sources of a checkout. */

/** The folder of the package with the files of the page, made by its build. */
export const folder = "assets"

const built = Bun.fileURLToPath(new URL(folder, import.meta.url))

const read: Effect.Effect<Assets> = Effect.flatMap(
  Effect.promise(() => readdir(built)),
  (names) =>
    Effect.map(
      Effect.forEach(names, (name) =>
        Effect.map(
          Effect.promise(() => Bun.file(join(built, name)).text()),
          (text) => [name, text] as const
        )
      ),
      Object.fromEntries
    )
)

const bundled = Effect.flatMap(
  Effect.promise(() => import("./Bundle.ts")),
  ({ bundle }) => bundle
)

/** Scripts and style of the page: the files of the package, or the bundler's output if they are missing. */
const live: Effect.Effect<Assets, Unbuilt> = Effect.flatMap(
  Effect.promise(() => Bun.file(join(built, "console.js")).exists()),
  (isBuilt) => (isBuilt ? read : bundled)
)

/**
 * Builds the assets once for all concurrent callers and keeps them; after a failure it retries at the first request after some seconds. A caller that
 * disconnects does not interrupt the build for others.
 */
export const once = (make: Effect.Effect<Assets, Unbuilt>) =>
  Effect.map(
    Cache.makeWith({
      capacity: 1,
      lookup: () => Effect.tapError(make, ({ message }) => Effect.logError(`Console build failed: ${message}`)),
      timeToLive: Exit.match({ onFailure: () => "5 seconds", onSuccess: () => "1000 weeks" })
    }),
    (cache) => Effect.uninterruptible(cache.get("assets"))
  )

/** One origin; the scripts of screens come from it too. The page never turns text into markup, so it forbids Trusted Types policies. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'"
].join("; ")

/** Linked sites get no referrer. */
const headers = { "content-security-policy": policy, "referrer-policy": "no-referrer" }

const page = (head: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Findable</title>${icon}${head}</head>
<body>${body}</body></html>
`

/** The page; its script finds the API beside its own URL. */
export const shell = (base: string) =>
  page(
    `<link rel="stylesheet" href="${base}/console.css"><script type="module" src="${base}/console.js"></script>`,
    "<noscript>The console needs JavaScript. Turn it on, or use the API for the same data.</noscript>"
  )

/** The page without a script to load. */
const unavailable = HttpServerResponse.html(
  page(
    "",
    "<h1>The console is not available</h1><p>The server could not build its script. The server's log says why. The API still works.</p>"
  )
).pipe(HttpServerResponse.setStatus(503), HttpServerResponse.setHeader("retry-after", "5"))

const missing = apiError("service_unavailable", "The console's script could not be built; the server's log says why", {
  headers: { "retry-after": "5" }
})

/** The console's routes, with the effect that builds the assets of its page. */
export const layerOf = (make: typeof live) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { path } = yield* PublicUrl
      const assets = yield* once(make)
      const opened = Effect.match(assets, {
        onFailure: () => unavailable,
        onSuccess: () => HttpServerResponse.html(shell(path(consolePath)))
      }).pipe(Effect.map(HttpServerResponse.setHeaders(headers)))
      const asset = Effect.gen(function* () {
        const made = yield* Effect.option(assets)
        if (Option.isNone(made)) return yield* Effect.orDie(missing)
        const { file = "" } = yield* HttpRouter.params
        const text = made.value[file]
        if (text === undefined)
          return yield* new HttpServerError.RouteNotFound({ request: yield* HttpServerRequest.HttpServerRequest })
        const contentType = file.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
        return HttpServerResponse.text(text, { contentType, headers })
      })
      yield* router.get(consolePath, opened)
      yield* router.get(`${consolePath}/`, opened)
      yield* router.get(`${consolePath}/:file`, asset)
    })
  )

/** The console of the server. */
export const layer = layerOf(live)
