import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as BunContext from "@effect/platform-bun/BunContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Browsers from "../../../src/crawl/render/Browsers.ts"
import { type Answer, type Fetch, limits, Refused, Renderer } from "../../../src/crawl/render/Rendering.ts"
import { findBrowser } from "../../../src/foundation/browser/Find.ts"

/** The browser of this machine that renders, if it has one. */
export const browser = Option.getOrNull(
  await Effect.runPromise(findBrowser("rendering").pipe(Effect.provide(BunContext.layer), Effect.option))
)

/** Folders of pages with what rendering must make of them. */
export const oracles = join(import.meta.dir, "../../../../shared/oracles/rendering")

/** Busy machines take longer than a page may: only what never ends is to meet the deadline. */
export const patient = Browsers.layer({ limits: { ...limits, page: "2 minutes", request: "1 minute" } }).pipe(
  Layer.provide(BunContext.layer)
)

export const impatient = Browsers.layer({ limits: { ...limits, page: "1 second" } }).pipe(
  Layer.provide(BunContext.layer)
)

const types = new Map([
  ["html", "text/html; charset=utf-8"],
  ["js", "text/javascript"],
  ["css", "text/css"],
  ["json", "application/json"]
])

const isFile = (path: string) => existsSync(path) && statSync(path).isFile()

/** A folder as a site: `/name` is `name.html`, and where the whole is one application all other addresses are its page. */
export const siteOf =
  (folder: string, fallback: boolean) =>
  (url: URL): Answer => {
    const candidates = [url.pathname, `${url.pathname}.html`, join(url.pathname, "index.html")]
    const found = [...candidates, ...(fallback ? ["index.html"] : [])].map((name) => join(folder, name)).find(isFile)
    if (found === undefined) return { body: new Uint8Array(), headers: [["content-type", "text/html"]], status: 404 }
    const type = types.get(found.slice(found.lastIndexOf(".") + 1)) ?? "application/octet-stream"
    return { body: new Uint8Array(readFileSync(found)), headers: [["content-type", type]], status: 200 }
  }

/** Answers by a site, each request after a delay of its own; `asked` has the paths in order. */
export const fetching = (site: (url: URL) => Answer, delay: (url: URL) => number) => {
  const asked: Array<string> = []
  const fetch: Fetch = ({ url }) => {
    asked.push(url.pathname)
    if (url.pathname.startsWith("/private/")) return new Refused({ why: "robots" })
    return Effect.delay(Effect.succeed(site(url)), delay(url))
  }
  return { asked, fetch }
}

/** Delays that hold early requests back, and such that hold late ones back. */
export const delays = [(url: URL) => url.href.length % 7, (url: URL) => 40 - ((url.href.length * 13) % 40)] as const

/** Renders one address of a site. */
export const shown = (site: (url: URL) => Answer, path: string, delay: (url: URL) => number) =>
  Effect.gen(function* () {
    const url = new URL(path, "http://site.test/")
    const { asked, fetch } = fetching(site, delay)
    const renderer = yield* Renderer
    const result = yield* Effect.either(
      renderer.render({ ...site(url), url, userAgent: "Mozilla/5.0 (compatible; FindableBot/1.0)" }, fetch)
    )
    return { asked, result }
  })
