/**
 * Sites that cost a crawler the most that its limits allow, each on its own port; prints their URLs by name. They are served by a separate process, so that
 * serving them takes no time from the process under test.
 */
import { createServer, type Server } from "node:net"
import { gzipSync } from "node:zlib"
import { faultNames, faults, send } from "../../faults/faults.ts"

const pages = 50
const times = (count: number, one: (at: number) => string) => Array.from({ length: count }, (_, at) => one(at)).join("")
const html = (head: string, body: string) =>
  new Response(`<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`, {
    headers: { "content-type": "text/html" }
  })
const links = (count: number, href: (at: number) => string) =>
  times(count, (at) => `<a href="${href(at)}">link ${at}</a> `)
const xml = (body: string | Uint8Array) => new Response(body, { headers: { "content-type": "application/xml" } })
const urlset = (origin: string, count: number, path: (at: number) => string) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${times(count, (at) => `<url><loc>${origin}${path(at)}</loc><lastmod>yesterday</lastmod></url>`)}</urlset>`
const every = links(pages, (at) => `/page-${at}`)
const words = times(2000, (at) => `word${(at * 7919) % 5000} `)

interface Asked {
  readonly origin: string
  readonly path: string
}

/** A site by its responses; other paths return a page with links to all pages. */
type Site = (asked: Asked) => Response | undefined

const ofPages =
  (page: (path: string) => Response): Site =>
  ({ path }) =>
    path === "/robots.txt" || path === "/sitemap.xml" ? new Response("", { status: 404 }) : page(path)

const sites: Readonly<Record<string, Site>> = {
  "24,000 rules with stars, a sitemap of 20,000 addresses of 1,500 letters": ({ origin, path }) => {
    if (path === "/robots.txt")
      return new Response(`User-agent: *\n${times(24_000, (at) => `Disallow: /*a*${at.toString(36)}z\n`)}`)
    if (path === "/sitemap.xml") return xml(urlset(origin, 20_000, (at) => `/${"a".repeat(1500)}${at}`))
    return undefined
  },
  "120,000 nested elements": ofPages(() => html("<title>t</title>", `${"<div><p><b>".repeat(40_000)}${every}`)),
  "each page links to 1,000 dead addresses of 1,900 letters": ofPages((path) =>
    path === "/" || path.startsWith("/page-")
      ? html(`<title>${path}</title>`, every + links(1000, (at) => `/${"b".repeat(1900)}${path.slice(1)}-${at}`))
      : new Response("", { status: 404 })
  ),
  "every page fails every rule that it can, at an address of 1,900 letters": ofPages((path) =>
    html(
      '<title>t</title><title>t</title><meta name="robots" content="noindexnofollow"><link rel="canonical" href="/a#b"><link rel="alternate" hreflang="xx-YY" href="/no">',
      `<h1></h1><h1></h1><img src="http://a.example/x"><a></a><a href="javascript:x">here</a>${links(pages, (at) => `/${"c".repeat(1900)}${at}`)}${path.length}`
    )
  ),
  "pages of 2 MiB that are nearly alike": ofPages((path) =>
    html(`<title>${path}</title>`, every + times(130, (at) => `<p>${words.slice(at * 3)}${path}</p>`))
  ),
  "100,000 links, headings, images and alternates on a page": ofPages((path) =>
    html(
      `<title>${path}</title>${times(10_000, (at) => `<link rel="alternate" hreflang="de" href="/x${at}">`)}`,
      every + times(25_000, (at) => `<h2>h${at}</h2><img src=i${at}><a href=/page-${at % pages}>a</a>`)
    )
  ),
  "structured data nested 100,000 deep, and 1 MiB of it": ofPages(() =>
    html(
      `<title>t</title><script type="application/ld+json">${"[".repeat(100_000)}</script><script type="application/ld+json">[${times(40_000, (at) => `{"@type":"Thing","name":"${at}"},`)}{}]</script>`,
      every
    )
  ),
  "texts made to stall patterns: spaces, ampersands, comments, attributes, quotes": ofPages((path) =>
    html(
      `<title>${" ".repeat(300_000)}x</title><meta name="description" content="${"a ".repeat(100_000)}">`,
      `${every}${"&".repeat(300_000)}${"<!--".repeat(50_000)}-->${"<a ".repeat(30_000)}${times(30_000, (at) => ` a${at}="`)}>${"404 not found ".repeat(10_000)}${"\u00a0".repeat(100_000)}${path}`
    )
  ),
  "10 MiB of letters on each page": ofPages(() => html("<title>t</title>", every + "lorem ".repeat(1_700_000))),
  "64 MiB packed into kilobytes": ofPages(
    () =>
      new Response(gzipSync(Buffer.alloc(64 << 20, "a")), {
        headers: { "content-encoding": "gzip", "content-type": "text/html" }
      })
  ),
  "a sitemap of 2,000 sitemaps of 1,000 addresses each": ({ origin, path }) => {
    if (path === "/sitemap.xml")
      return xml(
        `<sitemapindex>${times(2000, (at) => `<sitemap><loc>${origin}/s${at}.xml</loc></sitemap>`)}</sitemapindex>`
      )
    return path.endsWith(".xml")
      ? xml(gzipSync(urlset(origin, 1000, (at) => `${path}-${"d".repeat(500)}${at}`)))
      : undefined
  },
  "20,000 redirects from rule to rule, each a header of 60 KiB": ofPages((path) =>
    path === "/"
      ? html("<title>t</title>", every)
      : new Response("", { headers: { location: `${path}-${"e".repeat(60_000 - path.length)}` }, status: 302 })
  )
}

const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const asked = (url: string): Asked => ({ origin: new URL(url).origin, path: new URL(url).pathname })

const addresses = Object.entries(sites).map(([name, answer]) => {
  const server = Bun.serve({
    fetch: ({ url }) => answer(asked(url)) ?? html("<title>t</title>", every),
    hostname: "127.0.0.1",
    idleTimeout: 0,
    port: 0
  })
  return [name, server.url.href] as const
})

const sound = "<!doctype html><title>t</title><p>a page</p>"

/** Each response fault of the matrix, on every page but the first. */
const faulty = faultNames.flatMap((name) => {
  const fault = faults[name]
  return fault.kind === "answer" ? [[name, fault.answer] as const] : []
})

const faultyAddresses = await Promise.all(
  faulty.map(async ([name, answer]) => {
    let count = 0
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy())
      socket.once("data", (bytes) => {
        const request = bytes.toString("latin1")
        const path = /^\S+ (\S+)/.exec(request)?.[1] ?? ""
        const cookie = /^cookie: (.*?)\r$/im.exec(request)?.[1] ?? ""
        if (path === "/robots.txt" || path === "/sitemap.xml") return send(socket, 404, {})
        if (path === "/") return send(socket, 200, { "Content-Type": "text/html" }, sound + every)
        answer(socket, { body: sound, cookie, count: count++, path, port: portOf(server), type: "text/html" })
      })
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    return [name, `http://127.0.0.1:${portOf(server)}/`] as const
  })
)

console.log(JSON.stringify(Object.fromEntries([...addresses, ...faultyAddresses])))
