import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { schemes, tokens } from "../../foundation/design/Tokens.ts"
import { apiError } from "../../foundation/http/ApiError.ts"
import { PublicUrl } from "../../foundation/http/Request.ts"
import * as Examples from "../../foundation/openapi/Examples.ts"
import { inSections } from "./Sections.ts"

const guideStyle = `
${tokens}* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 var(--sans); color: var(--ink); background: var(--paper) }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px }
.skip { position: absolute; left: -999em } .skip:focus { left: 1rem; top: 1rem; background: var(--paper) }
nav { padding: 1rem 1.5rem; border-bottom: 1px solid var(--line) }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem }
nav a { text-decoration: none } nav a[aria-current] { color: var(--ink); font-weight: 600 }
nav strong { display: block; margin-bottom: .5rem }
main { min-width: 0; max-width: 62rem; padding: 1rem 1.5rem 4rem; overflow-wrap: break-word }
pre, .wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px }
pre { background: var(--card); padding: .75rem 1rem; font-size: .85rem; line-height: 1.5 }
code { font-family: var(--mono); font-size: .9em; background: var(--card); border-radius: 4px; padding: .1em .3em }
pre code { padding: 0; font-size: inherit }
table { border-collapse: collapse; width: 100%; font-size: .9rem; overflow-wrap: normal }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem; border-bottom: 1px solid var(--line) }
thead th:empty { padding: 0 }
h1, h2, h3 { line-height: 1.25 } h2 { margin-top: 2.5rem }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
  nav { border: 0; border-right: 1px solid var(--line); position: sticky; top: 0; height: 100vh; overflow-y: auto } nav ul { display: block }
}
`

interface Entry {
  readonly name: string
  readonly section: string | null
  readonly title: string
}

/** Guides by the sections of the table of contents, in its order. */
const bySection = <A extends Entry>(guides: ReadonlyArray<A>) =>
  Map.groupBy(
    guides.filter(({ section }) => section !== null),
    ({ section }) => section
  )

const entry =
  (current: string) =>
  ({ name, title }: Entry) =>
    `<li><a href="${name}"${name === current ? ' aria-current="page"' : ""}>${title}</a></li>`

const section =
  (current: string) =>
  ([name, guides]: readonly [string | null, ReadonlyArray<Entry>]) =>
    `<strong>${name}</strong><ul>${guides.map(entry(current)).join("")}</ul>`

/** A guide as a whole page, which loads nothing else. Relative links work below any prefix. */
const page = (title: string, body: string, current: string, guides: ReadonlyArray<Entry>): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Findable</title>${icon}<style>${guideStyle}</style></head>
<body><a class="skip" href="#text">Skip to the text</a>
<nav aria-label="Documentation"><strong>Findable</strong>
<ul><li><a href="../../docs">API reference</a></li>${entry(current)({ name: contents.name, section: null, title: "All guides" })}</ul>
${[...bySection(guides)].map(section(current)).join("\n")}</nav>
<main id="text">${body}</main></body></html>
`

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3b82f6" stroke-width="2"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg>'

/** The icon, as a part of each page, which saves a request for it. */
export const icon = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawing)}">`

/** Platform adapter: the guides as pages, by the runtime's Markdown. The guides are in `src`, in the package too. */
const folder = new URL("../../../src/", import.meta.url)

/** The table of contents lists the guides for users in their order, by section. */
const contents = { name: "guides", path: "guides/README.md" } as const

/** A guide is named after its file, or after its folder. */
const nameOf = (path: string) => {
  const [file = "", room = ""] = path.split("/").reverse()
  return file === "README.md" ? room : file.replace(/\.md$/, "")
}

interface Guide extends Entry {
  readonly html: string
}

/** The guides that a text links to, as paths in `src`. */
const guidesIn = (text: string, from: string) =>
  Array.from(text.matchAll(/\]\(([^)#:]+\.md)[)#]/g), ([, to = ""]) =>
    new URL(to, new URL(from, "file:///")).pathname.slice(1)
  )

/** Links between guides become links between pages; links to files of the repository become text. */
const linked = (html: string, from: string, served: ReadonlySet<string>) =>
  html.replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (whole, to: string, text: string) => {
    if (/^(?:https?:|#)/.test(to)) return whole
    const { hash, pathname } = new URL(to, new URL(from, "file:///"))
    const path = pathname.slice(1)
    return served.has(path) ? `<a href="${nameOf(path)}${hash}">${text}</a>` : text
  })

/** Replaces pictures by their alternative texts, because a page loads nothing. */
const withoutPictures = (html: string) => html.replace(/<img [^>]*alt="([^"]*)"[^>]*>/g, "<em>$1</em>")

/** Lets wide tables scroll by themselves, by keyboard too. */
const scrolling = (html: string) =>
  html
    .replaceAll("<table>", '<div class="wide" tabindex="0" role="region" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">')

const textOf = (path: string) => Effect.promise(() => Bun.file(new URL(path, folder)).text())

/** Paths of the guides with their section of the table of contents; pages outside the table have none. */
const listed = Effect.gen(function* () {
  const sections = (yield* textOf(contents.path)).split(/^## /m).slice(1)
  const known = new Map(
    sections.flatMap((text) =>
      guidesIn(text, contents.path).map((path): [string, string | null] => [path, text.split("\n", 1)[0] ?? ""])
    )
  )
  const all = yield* Effect.promise(() =>
    Array.fromAsync(new Bun.Glob("guides/**/*.md").scan(Bun.fileURLToPath(folder)))
  )
  for (const path of all.toSorted()) if (!known.has(path)) known.set(path, null)
  return known
})

/** All guides as pages; each links the others and the reference. */
const guidePages = Effect.gen(function* () {
  const known = yield* listed
  const served = new Set(known.keys())
  const read = yield* Effect.forEach(known, ([path, section]) =>
    Effect.map(textOf(path), (text) => ({
      body: scrolling(withoutPictures(linked(Bun.markdown.html(text, { headings: { ids: true } }), path, served))),
      name: nameOf(path),
      section,
      title: /^# (.+)$/m.exec(text)?.[1] ?? nameOf(path)
    }))
  )
  return read.map(({ body, ...guide }): Guide => ({ ...guide, html: page(guide.title, body, guide.name, read) }))
})

/** Path of the reference, the contract as a page. */
export const docsPath = "/docs"

const guidesPath = `${docsPath}/guides` as const

/** Path of the console, which programs that embed site health alone do not serve. */
export const consolePath = "/console"

/** The page at `/`, with the next steps of people and programs. */
const entrancePage = (guides: ReadonlyArray<Guide>, hasConsole: boolean, path: (of: string) => string): string => {
  const link = (to: string, text: string, about: string) => `<li><a href="${path(to)}">${text}</a>: ${about}</li>`
  const links = [
    ...(hasConsole ? [link(consolePath, "Console", "add sites, crawl them and see what to fix, in your browser")] : []),
    link(docsPath, "API reference", "every endpoint, with requests to try"),
    link("/api/v1/openapi.json", "OpenAPI document", "the same for programs")
  ]
  const list = guides.map(({ name, title }) => `<li><a href="${path(`${guidesPath}/${name}`)}">${title}</a></li>`)
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Findable</title>${icon}<style>${guideStyle} body { display: block }</style></head>
<body><main><h1>Findable</h1><p>This is a Findable server: crawls, rankings, audits and experiments for your sites.</p>
<ul>${links.join("")}</ul><h2>Guides</h2><ul>${list.join("")}</ul></main></body></html>
`
}

/** The reference's names for our colours, in both schemes. */
const colours = `--scalar-background-1: var(--paper); --scalar-background-2: var(--card); --scalar-background-3: var(--line); --scalar-border-color: var(--line);
--scalar-color-1: var(--ink); --scalar-color-2: var(--quiet); --scalar-color-3: var(--quiet); --scalar-color-accent: var(--link);
--scalar-color-green: var(--good); --scalar-color-red: var(--bad); --scalar-color-orange: var(--warn); --scalar-color-yellow: var(--warn); --scalar-color-blue: var(--link)`

/**
 * The colours of all our pages, and fixes of Scalar's page: hidden words at the edge of tables make the page wider than the window, scroll bars stay light in
 * dark mode, and the button of the list covers the method of a request in a small window.
 */
const style = `
.light-mode { ${schemes.light}; ${colours} }
.dark-mode { ${schemes.dark}; ${colours} }
.scalar-app { overflow-x: clip }
html:has(body.dark-mode) { color-scheme: dark }
@media (max-width: 45rem) { .scalar-sidebar-toggle { visibility: hidden } }
`

/** Turns off everything that would contact another host: fonts, the toolbar, the offer of an app, telemetry. The field for a key is open at first. */
const offline = {
  customCss: style,
  authentication: { preferredSecurityScheme: "bearer" },
  hideClientButton: true,
  proxyUrl: "",
  showToolbar: "never",
  telemetry: false,
  withDefaultFonts: false
}

/** The document for people: the sidebar lists every guide first, then the sections. Tried requests go to the server of the page. */
const readable = (document: object, guides: ReadonlyArray<Guide>, server: string) => {
  const { info, ...rest } = Object(document)
  const lists = Array.from(
    bySection(guides),
    ([section, own]) =>
      `**${section}**\n\n${own.map(({ name, title }) => `- [${title}](docs/guides/${name})`).join("\n")}`
  )
  const description = `${info.description}\n\n## Guides\n\n${lists.join("\n\n")}`
  return { ...inSections(rest), info: { ...info, description }, servers: [{ url: server }] }
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
 * The platform's page of the contract, in a separate router. Script and style are part of the page, which works offline. They are megabytes, so they are loaded
 * when the page is first opened.
 */
const platformPage = (guides: Effect.Effect<ReadonlyArray<Guide>>) =>
  Effect.gen(function* () {
    const { path } = yield* PublicUrl
    const { api, context } = yield* HttpApi.Api
    const all = yield* guides
    const examples = yield* Examples.of(api.groups)
    const scalar = yield* Effect.promise(() => import("@effect/platform/HttpApiScalar"))
    const complete = Option.getOrElse(Context.getOption(api.annotations, OpenApi.Transform), () => Function.identity)
    const shown = api.annotate(OpenApi.Transform, (document) =>
      readable(Examples.withExamples(complete(document), examples), all, path("") || "/")
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

/** Caches an effect on first use. When the first caller leaves, the build continues. */
const once = <A, E, R>(make: Effect.Effect<A, E, R>) => Effect.cached(Effect.uninterruptible(make))

const reference = (guides: Effect.Effect<ReadonlyArray<Guide>>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const services = yield* Effect.context<HttpApi.Api | PublicUrl>()
      const page = Effect.flatMap(Effect.provide(platformPage(guides), services), Effect.map(withHead))
      yield* router.get(docsPath, yield* once(page))
    })
  )

/** A guide is text with an inline style. */
const policy =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const withPolicy = HttpServerResponse.setHeader("content-security-policy", policy)

const pages = (guides: Effect.Effect<ReadonlyArray<Guide>>) =>
  HttpApiBuilder.Router.use((router) =>
    Effect.gen(function* () {
      const { path } = yield* PublicUrl
      const entrance = Effect.map(Effect.zip(guides, router.router), ([all, { routes }]) => {
        const hasConsole = Chunk.some(routes, (route) => route.path === consolePath)
        return withPolicy(HttpServerResponse.html(entrancePage(all, hasConsole, path)))
      })
      const home = yield* once(entrance)
      yield* router.get("/", home)
      // The links of the reference are relative to its path without a slash.
      yield* router.get(`${docsPath}/`, HttpServerResponse.redirect(path(docsPath), { status: 302 }))
      // Tools look for the contract here.
      yield* router.get("/openapi.json", HttpServerResponse.redirect(path("/api/v1/openapi.json"), { status: 302 }))
      yield* router.get(
        guidesPath,
        HttpServerResponse.redirect(path(`${guidesPath}/${contents.name}`), { status: 302 })
      )
      yield* router.get(
        `${guidesPath}/:guide`,
        Effect.flatMap(Effect.zip(guides, HttpRouter.params), ([all, { guide = "" }]) => {
          const found = all.find(({ name }) => name === guide)
          return found === undefined
            ? Effect.die(
                apiError("not_found", `No guide at ${docsPath}/guides/${guide.slice(0, 100)}. See ${docsPath} for all.`)
              )
            : Effect.succeed(withPolicy(HttpServerResponse.html(found.html)))
        })
      )
    })
  )

export const layer = Layer.unwrapEffect(
  Effect.map(once(guidePages), (guides) => Layer.merge(reference(guides), pages(guides)))
)
