import { html } from "../site/Html.ts"
import type { Reply } from "../site/MemoryOutbound.ts"

export const origin = "https://site.test"

export interface Parts {
  readonly title?: string
  readonly head?: string
  readonly body?: string
  readonly links?: ReadonlyArray<string>
  readonly canonical?: string
}

/** One page of the sound site. */
export const page = (
  path: string,
  { body = "", canonical = path, head = "", links = ["/"], title }: Parts = {}
): Reply => ({
  body: html({
    title: title ?? `Page ${path}`,
    head: `<link rel="canonical" href="${origin}${canonical}">${head}`,
    body,
    links
  })
})

export const notFound: Reply = { status: 404, headers: { "content-type": "text/plain" }, body: "nothing" }
export const redirect = (location: string, status = 301): Reply => ({ status, headers: { location } })

const paths = ["/", "/a", "/b", "/c"]

export const sitemap = (listed: ReadonlyArray<string>): Reply => ({
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${listed
    .map((path) => `<url><loc>${path.startsWith("/") ? origin : ""}${path}</loc></url>`)
    .join("")}</urlset>`
})

export const robots = (rules: string): Reply => ({
  headers: { "content-type": "text/plain" },
  body: `User-agent: *\n${rules}\nSitemap: ${origin}/sitemap.xml\n`
})

/** A site of four pages without issues; `changes` replace its responses, and new pages among them are linked and listed. */
export const soundSite =
  (changes: Readonly<Record<string, Reply>>, unlinked: ReadonlyArray<string> = []) =>
  (url: URL): Reply => {
    const path = `${url.pathname}${url.search}`
    const own = changes[path]
    if (own !== undefined) return own
    const added = Object.keys(changes).filter(
      (each) => !paths.includes(each) && each !== "/robots.txt" && each !== "/sitemap.xml" && !unlinked.includes(each)
    )
    if (path === "/robots.txt") return robots("Disallow: /private")
    if (path === "/sitemap.xml") return sitemap(paths)
    if (path === "/") return page("/", { links: [...paths.slice(1), ...added] })
    if (/\.(?:png|js|css)$/.test(path)) return { headers: { "content-length": "1000" }, body: "" }
    return paths.includes(path) ? page(path) : notFound
  }
