import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import { apiError } from "../../foundation/http/ApiError.ts"
import { PublicUrl } from "../../foundation/http/PublicUrl.ts"
import { icon } from "../server/GuideStyle.ts"
import * as Assets from "./Assets.ts"

/** Path of the console. */
const consolePath = "/console"

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
export const layerOf = (make: typeof Assets.live) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { path } = yield* PublicUrl
      const assets = yield* Assets.once(make)
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
export const layer = layerOf(Assets.live)
