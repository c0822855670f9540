import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { CrawlOptions, CrawlResult } from "../../../src/crawl/Crawl.ts"
import {
  type Answer,
  type FailureReason,
  type Fetch,
  type Page,
  type Rendered,
  Renderer,
  RenderFailed
} from "../../../src/crawl/render/Rendering.ts"
import { report } from "../site/Crawled.ts"
import { html } from "../site/Html.ts"
import { memoryOutbound, type Reply } from "../site/MemoryOutbound.ts"

export const origin = "https://site.test"
export const other = "https://cdn.test"
export const script = '<script src="/app.js"></script>'
export const navigation = (paths: ReadonlyArray<string>) =>
  paths.map((path) => `<a href="${path}">to ${path}</a>`).join(" ")

/** The result of a page's scripts: another document, maybe with errors, or a failure. */
export type Shown = (page: string, fetch: Fetch) => Effect.Effect<string | Partial<Rendered>, FailureReason>

export interface World {
  readonly pages: Readonly<Record<string, Reply>>
  /** By path; other pages stay as they are. */
  readonly shown?: Readonly<Record<string, Shown>>
  readonly delay?: (path: string) => number
  readonly browser?: string
}

const textOf = ({ body }: Answer) => new TextDecoder().decode(body)

/** A browser that does what the test says, after a delay of its own. */
const scripted = ({ browser = "Scripted/1", delay = () => 0, shown = {} }: World, rendered: Array<string>) =>
  Layer.succeed(Renderer, {
    browser: Effect.succeed(browser),
    render: (page: Page, fetch) =>
      Effect.gen(function* () {
        const { pathname } = page.url
        rendered.push(pathname)
        const sent = textOf(page)
        yield* Effect.sleep(delay(pathname))
        const made = yield* Effect.either(shown[pathname]?.(sent, fetch) ?? Effect.succeed(sent))
        const seen = { errors: [], refused: [], requests: 0 }
        if (made._tag === "Left")
          return yield* new RenderFailed({
            ...seen,
            lack: made.left === "no_browser" ? "no_sandbox" : null,
            reason: made.left
          })
        const own = typeof made.right === "string" ? { html: made.right } : made.right
        return { ...seen, html: sent, redirect: null, ...own }
      }),
    store: () => Effect.succeed(Option.none()),
    width: 2
  })

/** The report on a site, what was asked for and what was rendered, in order. */
export const crawled = (world: World, options: Partial<CrawlOptions> = {}) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const rendered: Array<string> = []
    const site = ({ href, origin: host, pathname }: URL): Reply => {
      asked.push(host === origin ? pathname : href)
      const reply = world.pages[host === origin ? pathname : href] ?? { body: "", headers: {}, status: 404 }
      return { ...reply, delay: world.delay?.(`asked ${pathname}`) ?? 0 }
    }
    const layer = Layer.merge(memoryOutbound(site), scripted(world, rendered))
    const result = yield* Effect.provide(report(`${origin}/`, options), layer)
    return { asked, rendered, result }
  })

/** A document with content of its own. */
export const tea = (body: string, head = ""): string =>
  html({ body: `<p>${"word ".repeat(60)}</p>${body}`, head, title: "Tea" })

export const page = (body: string, head = ""): Reply => ({ body: tea(body, head) })

/** A document that scripts are to fill. */
export const shell: Reply = {
  body: `<!doctype html><html lang=en><title>App</title><div id=root></div>${script}</html>`
}

export const stateOf = ({ pages }: CrawlResult, path: string) => {
  const found = pages.find(({ url }) => url === `${origin}${path}`)?.rendering
  return found == null ? null : `${found.state}${found.reason === null ? "" : `: ${found.reason}`}`
}

export const adding =
  (markup: string): Shown =>
  (sent) =>
    Effect.succeed(sent.replace("</body>", `${markup}</body>`))

export const retitled: Shown = (sent) => Effect.succeed(sent.replace("<h1>Tea</h1>", "<h1>By a script</h1>"))

export const numbered = (kind: string, count: number) => Array.from({ length: count }, (_, at) => `/${kind}/${at + 1}`)

export const pagesOf = (paths: ReadonlyArray<string>, body = script) =>
  Object.fromEntries(paths.map((path) => [path, page(body)]))
