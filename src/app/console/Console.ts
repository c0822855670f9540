import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { apiError } from "../../foundation/http/ApiError.ts"
import { PublicUrl } from "../../foundation/http/Request.ts"
import { consolePath, icon } from "../server/Docs.ts"
import type { Assets, Unbuilt } from "./Bundle.ts"

/** Platform adapter: script and style of the console, from the package, or bundled from the sources of a checkout. */

/** The files of the package, made by its build. */
export const files = { script: "assets/console.js", style: "assets/console.css" } as const

const fileOf = (name: keyof typeof files) => Bun.file(new URL(files[name], import.meta.url))

const read = Effect.promise(() => Promise.all([fileOf("script").text(), fileOf("style").text()])).pipe(
  Effect.map(([script, style]): Assets => ({ script, style }))
)

const bundled = Effect.flatMap(
  Effect.promise(() => import("./Bundle.ts")),
  ({ bundle }) => bundle
)

/** Script and style of the page: the files of the package, or the bundler's output if they are missing. */
const live: Effect.Effect<Assets, Unbuilt> = Effect.flatMap(
  Effect.promise(() => fileOf("script").exists()),
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

/** One origin, one script, one style. The page never turns text into markup, so it forbids Trusted Types policies. */
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
      const asset = (name: "script" | "style", contentType: string) =>
        Effect.orDie(
          Effect.matchEffect(assets, {
            onFailure: () => missing,
            onSuccess: (made) => Effect.succeed(HttpServerResponse.text(made[name], { contentType, headers }))
          })
        )
      yield* router.get(consolePath, opened)
      yield* router.get(`${consolePath}/`, opened)
      yield* router.get(`${consolePath}/console.js`, asset("script", "text/javascript; charset=utf-8"))
      yield* router.get(`${consolePath}/console.css`, asset("style", "text/css; charset=utf-8"))
    })
  )

/** The console of the server. */
export const layer = layerOf(live)
