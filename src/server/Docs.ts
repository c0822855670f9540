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

/** Where people read the contract in a browser. */
export const docsPath = "/docs"

const guidesPath = `${docsPath}/guides` as const

/** Everything off that would ask another host: fonts, the bar that shares, the offer of an app, usage counts. A key is asked for at once. */
const offline = {
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

/** The contract as a page; script and style are part of it, so it works offline. */
const reference = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { path } = yield* PublicUrl
    const { api, context } = yield* HttpApi.Api
    const all = yield* Guides.all
    const complete = Option.getOrElse(Context.getOption(api.annotations, OpenApi.Transform), () => Function.identity)
    const shown = api.annotate(OpenApi.Transform, (document) => readable(complete(document), all, path("") || "/"))
    return HttpApiScalar.layer({ path: docsPath, scalar: offline }).pipe(
      Layer.provide(Layer.succeed(HttpApi.Api, { api: shown, context }))
    )
  })
)

/** What a page of text needs: its own style. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

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
