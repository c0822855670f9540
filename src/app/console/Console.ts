import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { apiError } from "../../foundation/http/ApiError.ts"
import { PublicUrl } from "../../foundation/http/Request.ts"
import { consolePath, icon } from "../server/Docs.ts"
import type { Assets, Unbuilt } from "./Bundle.ts"

/** Platform adapter: script and style of the console, as the package has them, or bundled of the sources of a checkout. */

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

/** What the page loads: the files of the package, or where these are missing what the bundler makes. */
const live: Effect.Effect<Assets, Unbuilt> = Effect.flatMap(
  Effect.promise(() => fileOf("script").exists()),
  (isBuilt) => (isBuilt ? read : bundled)
)

/**
 * The same made once, however many callers ask for it at a time, and kept for good; what fails is tried again after some seconds, not at each request. A
 * caller that goes away ends nothing that others wait for.
 */
export const once = (make: Effect.Effect<Assets, Unbuilt>) =>
  Effect.map(
    Cache.makeWith({
      capacity: 1,
      lookup: () =>
        Effect.tapError(make, ({ message }) => Effect.logError(`The console could not be built: ${message}`)),
      timeToLive: Exit.match({ onFailure: () => "5 seconds", onSuccess: () => "1000 weeks" })
    }),
    (cache) => Effect.uninterruptible(cache.get("assets"))
  )

/** One origin, one script, one style; no markup is ever made of text, so no policy for it may exist (Trusted Types). */
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

/** The page leaves no address of its own with the sites that it links. */
const headers = { "content-security-policy": policy, "referrer-policy": "no-referrer" }

const page = (head: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Findable</title>${icon}${head}</head>
<body>${body}</body></html>
`

/** The page, whose script finds the API beside its own address. */
export const shell = (base: string) =>
  page(
    `<link rel="stylesheet" href="${base}/console.css"><script type="module" src="${base}/console.js"></script>`,
    "<noscript>The console needs JavaScript. The same data can be had from the API.</noscript>"
  )

/** What a visitor reads when there is no script to load. */
const unavailable = HttpServerResponse.html(
  page(
    "",
    "<h1>The console is not available</h1><p>Its script could not be made, as the server's log tells. The API works.</p>"
  )
).pipe(HttpServerResponse.setStatus(503), HttpServerResponse.setHeader("retry-after", "5"))

const missing = apiError("service_unavailable", "The console's script could not be made; the server's log says why", {
  headers: { "retry-after": "5" }
})

/** The console's routes, with what its page loads as it is made by an effect. */
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

/** The console of the node. */
export const layer = layerOf(live)
