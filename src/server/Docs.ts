import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiScalar from "@effect/platform/HttpApiScalar"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { apiError } from "../http/Failure.ts"
import { PublicUrl } from "../http/PublicUrl.ts"
import * as Guides from "./Guides.ts"
import { icon } from "./Icon.ts"

/** Where people read the contract in a browser. */
export const docsPath = "/docs"

const guidesPath = `${docsPath}/guides` as const

/**
 * Hidden words at the edge of its tables make the page wider than its window, its scroll bars know of no dark, and where a request is tried the button of
 * the list lies on the method in a small window.
 */
const style = `
.scalar-app { overflow-x: clip }
html:has(body.dark-mode) { color-scheme: dark }
@media (max-width: 45rem) { .scalar-sidebar-toggle { visibility: hidden } }
`

/** Everything off that would ask another host: fonts, the bar that shares, the offer of an app, usage counts. A key is asked for at once. */
const offline = {
  customCss: style,
  authentication: { preferredSecurityScheme: "bearer" },
  hideClientButton: true,
  proxyUrl: "",
  showToolbar: "never",
  telemetry: false,
  withDefaultFonts: false
}

/** The document as its readers see it: the guides are named first, and requests that are tried go to where the page was found. */
const readable = (document: object, guides: ReadonlyArray<Guides.Guide>, server: string) => {
  const { info, ...rest } = Object(document)
  const list = guides.map(({ name, title }) => `- [${title}](docs/guides/${name})`).join("\n")
  const description = `${info.description}\n\n## Guides\n\n${list}`
  return { ...rest, info: { ...info, description }, servers: [{ url: server }] }
}

/** The page as it should begin: with its language, and with an icon. */
const begun = (response: HttpServerResponse.HttpServerResponse) =>
  response.body._tag === "Uint8Array"
    ? HttpServerResponse.html(
        new TextDecoder()
          .decode(response.body.body)
          .replace("<html>\n  <head>", `<html lang="en">\n  <head>\n    ${icon}`)
      )
    : response

/** The contract as a page, as the platform answers with it, in a router of its own; script and style are part of it, so it works offline. */
const platformPage = Effect.gen(function* () {
  const { path } = yield* PublicUrl
  const { api, context } = yield* HttpApi.Api
  const all = yield* Guides.all
  const complete = Option.getOrElse(Context.getOption(api.annotations, OpenApi.Transform), () => Function.identity)
  const shown = api.annotate(OpenApi.Transform, (document) => readable(complete(document), all, path("") || "/"))
  const alone = HttpApiScalar.layer({ path: docsPath, scalar: offline }).pipe(
    Layer.provideMerge(HttpApiBuilder.Router.Live),
    Layer.provide(Layer.succeed(HttpApi.Api, { api: shown, context })),
    Layer.fresh
  )
  return yield* Effect.flatMap(HttpApiBuilder.Router, ({ router }) => router).pipe(Effect.provide(alone))
})

/** That page, made once. */
const reference = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const page = yield* Effect.cached(Effect.map(yield* platformPage, begun))
    yield* router.get(docsPath, page)
  })
)

/** What a page of text needs: its own style. */
const policy =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The guides beside it. */
const guides = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const { path } = yield* PublicUrl
    const all = new Map((yield* Guides.all).map(({ html, name }) => [name, html]))
    const [first = ""] = all.keys()
    // Who opens the server in a browser is led to the reference, whose first words are the guides.
    yield* router.get("/", HttpServerResponse.redirect(path(docsPath), { status: 302 }))
    yield* router.get(guidesPath, HttpServerResponse.redirect(path(`${guidesPath}/${first}`), { status: 302 }))
    yield* router.get(
      `${guidesPath}/:guide`,
      Effect.flatMap(HttpRouter.params, ({ guide = "" }) => {
        const html = all.get(guide)
        return html === undefined
          ? Effect.die(apiError("not_found", "There is no such guide"))
          : HttpServerResponse.html(html).pipe(
              HttpServerResponse.setHeader("content-security-policy", policy),
              Effect.succeed
            )
      })
    )
  })
)

export const layer = Layer.merge(reference, guides)
