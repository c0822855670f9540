import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { schemes } from "../../foundation/design/Tokens.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { PublicUrl } from "../../foundation/http/PublicUrl.ts"
import * as ExampleFiles from "../openapi/ExampleFiles.ts"
import { withExamples } from "../openapi/Examples.ts"
import { icon } from "./GuideStyle.ts"
import * as Guides from "./Guides.ts"

/** Path of the reference, the contract as a page. */
export const docsPath = "/docs"

const guidesPath = `${docsPath}/guides` as const

/** Its names for our colours, the same in both schemes. */
const colours = `--scalar-background-1: var(--paper); --scalar-background-2: var(--card); --scalar-background-3: var(--line); --scalar-border-color: var(--line);
--scalar-color-1: var(--ink); --scalar-color-2: var(--quiet); --scalar-color-3: var(--quiet); --scalar-color-accent: var(--link);
--scalar-color-green: var(--good); --scalar-color-red: var(--bad); --scalar-color-orange: var(--warn); --scalar-color-yellow: var(--warn); --scalar-color-blue: var(--link)`

/**
 * The colours of all our pages, and repairs of Scalar's page: hidden words at the edge of tables make it wider than the window, its scroll bars stay light in
 * dark mode, and the button of the list covers the method of a request in a small window.
 */
const style = `
.light-mode { ${schemes.light}; ${colours} }
.dark-mode { ${schemes.dark}; ${colours} }
.scalar-app { overflow-x: clip }
html:has(body.dark-mode) { color-scheme: dark }
@media (max-width: 45rem) { .scalar-sidebar-toggle { visibility: hidden } }
`

/** Turns off everything that would contact another host: fonts, the toolbar, the offer of an app, telemetry. The field for a key is open at once. */
const offline = {
  customCss: style,
  authentication: { preferredSecurityScheme: "bearer" },
  hideClientButton: true,
  proxyUrl: "",
  showToolbar: "never",
  telemetry: false,
  withDefaultFonts: false
}

/** The document for human readers: it lists the guides first, and requests that are tried go to the server of the page. */
const readable = (document: object, guides: ReadonlyArray<Guides.Guide>, server: string) => {
  const { info, ...rest } = Object(document)
  const list = guides.map(({ name, title }) => `- [${title}](docs/guides/${name})`).join("\n")
  const description = `${info.description}\n\n## Guides\n\n${list}`
  return { ...rest, info: { ...info, description }, servers: [{ url: server }] }
}

/** Adds the language and an icon to the page. */
const withHead = (response: HttpServerResponse.HttpServerResponse) =>
  response.body._tag === "Uint8Array"
    ? HttpServerResponse.html(
        new TextDecoder()
          .decode(response.body.body)
          .replace("<html>\n  <head>", `<html lang="en">\n  <head>\n    ${icon}`)
      )
    : response

/**
 * The platform's page of the contract, in a router of its own. Script and style are part of it, so it works offline; they are megabytes, so they are
 * loaded when the page is first opened.
 */
const platformPage = (guides: Effect.Effect<ReadonlyArray<Guides.Guide>>) =>
  Effect.gen(function* () {
    const { path } = yield* PublicUrl
    const { api, context } = yield* HttpApi.Api
    const all = yield* guides
    const examples = yield* ExampleFiles.of(api.groups)
    const scalar = yield* Effect.promise(() => import("@effect/platform/HttpApiScalar"))
    const complete = Option.getOrElse(Context.getOption(api.annotations, OpenApi.Transform), () => Function.identity)
    const shown = api.annotate(OpenApi.Transform, (document) =>
      readable(withExamples(complete(document), examples), all, path("") || "/")
    )
    const alone = scalar
      .layer({ path: docsPath, scalar: offline })
      .pipe(
        Layer.provideMerge(HttpApiBuilder.Router.Live),
        Layer.provide(Layer.succeed(HttpApi.Api, { api: shown, context })),
        Layer.fresh
      )
    return yield* Effect.flatMap(HttpApiBuilder.Router, ({ router }) => router).pipe(Effect.provide(alone))
  })

/** Built on first use and cached; the first caller going away does not cancel it. */
const once = <A, E, R>(make: Effect.Effect<A, E, R>) => Effect.cached(Effect.uninterruptible(make))

const reference = (guides: Effect.Effect<ReadonlyArray<Guides.Guide>>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const services = yield* Effect.context<HttpApi.Api | PublicUrl>()
      const page = Effect.flatMap(Effect.provide(platformPage(guides), services), Effect.map(withHead))
      yield* router.get(docsPath, yield* once(page))
    })
  )

/** A guide is text with a style of its own. */
const policy =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pages = (guides: Effect.Effect<ReadonlyArray<Guides.Guide>>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { path } = yield* PublicUrl
      // `/` redirects to the reference, which links the guides.
      yield* router.get("/", HttpServerResponse.redirect(path(docsPath), { status: 302 }))
      // Tools look for the contract here.
      yield* router.get("/openapi.json", HttpServerResponse.redirect(path("/api/v1/openapi.json"), { status: 302 }))
      yield* router.get(guidesPath, HttpServerResponse.redirect(path(`${guidesPath}/${Guides.first}`), { status: 302 }))
      yield* router.get(
        `${guidesPath}/:guide`,
        Effect.flatMap(Effect.zip(guides, HttpRouter.params), ([all, { guide = "" }]) => {
          const found = all.find(({ name }) => name === guide)
          return found === undefined
            ? Effect.die(apiError("not_found", "There is no such guide"))
            : HttpServerResponse.html(found.html).pipe(
                HttpServerResponse.setHeader("content-security-policy", policy),
                Effect.succeed
              )
        })
      )
    })
  )

export const layer = Layer.unwrapEffect(
  Effect.map(once(Guides.all), (guides) => Layer.merge(reference(guides), pages(guides)))
)
