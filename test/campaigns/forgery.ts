import { createServer, type Server } from "node:net"
import { hostname, networkInterfaces } from "node:os"
import { insider } from "./attackers.ts"
import { node, until } from "./node.ts"
import { postgres } from "./postgres.ts"

/** Spellings of this machine in a URL: names, numbers in all bases, embedded addresses, lookalikes. */
const hosts = [
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.000.000.001",
  "0",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "a.localhost",
  "ip6-localhost",
  "127。0。0。1",
  "１２７.０.０.１",
  "①②⑦.⓪.⓪.①",
  "127.0.0.1%2e",
  "127%2e0%2e0%2e1",
  "user:password@127.0.0.1",
  "a.example@127.0.0.1",
  hostname(),
  ...Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).flatMap(({ address, family, internal }) =>
      internal ? [] : [family === "IPv4" ? address : `[${address.replace(/%.*/, "")}]`]
    )
  )
]

const statuses = [301, 302, 303, 307, 308]

const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** The forbidden target: it listens on every address of this machine, and only counts connections to forbidden ones. */
const inside = async () => {
  const met: Array<string> = []
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    if (socket.localAddress?.endsWith("127.0.0.2") !== true) met.push(`${socket.localAddress}`)
    socket.once("data", (bytes) => {
      met.push(bytes.toString("latin1").split("\r\n")[0] ?? "")
      socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\nsecret")
    })
  })
  await new Promise<void>((listening) => server.listen({ host: "::", ipv6Only: false, port: 0 }, listening))
  return { met, port: portOf(server), stop: () => server.close() }
}

/** A site on the one allowed address. */
const site = (answer: (path: string) => Response) =>
  Bun.serve({ fetch: ({ url }) => answer(new URL(url).pathname), hostname: "127.0.0.2", port: 0 })

const html = (body: string, head = "") =>
  new Response(`<!doctype html><html><head><title>t</title>${head}</head><body>${body}</body></html>`, {
    headers: { "content-type": "text/html" }
  })
/** Raw header bytes: a non-ASCII name is sent unescaped, as careless servers do. */
const latin1 = (text: string) => Buffer.from(text).toString("latin1")
const to = (url: string, status = 302) => new Response("", { headers: { location: latin1(url) }, status })
const missing = () => new Response("", { status: 404 })

/** A page that names a URL in every way that a crawler could follow. */
const naming = (url: string) => [
  `<a href="${url}">a</a><area href="${url}"><img src="${url}" srcset="${url} 2x"><iframe src="${url}"></iframe><script src="${url}"></script><form action="${url}"></form><video src="${url}"></video><object data="${url}"></object>`,
  `<base href="${url}"><link rel="canonical" href="${url}"><link rel="alternate" hreflang="de" href="${url}"><link rel="next" href="${url}"><link rel="stylesheet" href="${url}"><link rel="sitemap" href="${url}"><meta http-equiv="refresh" content="0;url=${url}"><meta property="og:url" content="${url}">`
]

/**
 * `forgery`: projects, pages, redirects, robots.txt, sitemaps and webhooks lead a server that may reach only one IP address of its machine
 * (`FINDABLE_ALLOW_PRIVATE_NETWORKS=127.0.0.2/32`) to all the others; no listener there may see a connection.
 */
export const forgery = async () => {
  const database = await postgres()
  const serving = await node({ DATABASE_URL: database.url(), FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.2/32" })
  const secret = await inside()
  const wrong: Array<string> = []
  const outcomes = new Map<string, number>()
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  let tried = 0

  /** Crawls from a URL, and returns the complete result. */
  const crawl = async (kind: string, url: string) => {
    tried++
    const { key } = await insider(database)
    const project = await serving.ask("POST", "/api/v1/projects", { body: { url }, key })
    if (project.status >= 500) wrong.push(`${kind} ${url}: ${project.status}`)
    if (project.status >= 300) return count(`${kind}: refused with ${project.status}`)
    const run = await serving.ask("POST", `/api/v1/projects/${project.body.data.id}/site-health/runs`, { key })
    if (run.status >= 300) return count(`${kind}: refused with ${run.status}`)
    const look = async () => (await serving.ask("GET", `/api/v1/runs/${run.body.data.id}`, { key })).body.data
    await until(async () => (await look()).finished_at !== null, 120, 200)
    const { error, status } = await look()
    const { body } = await serving.ask("GET", `/api/v1/runs/${run.body.data.id}?include=result`, { key })
    if (JSON.stringify(body).includes("secret")) wrong.push(`${kind} ${url}: the secret was told`)
    count(`${kind}: ${error?.code ?? status}`)
  }

  const urls = hosts.map((host) => `http://${host}:${secret.port}/`)
  const sites: Array<readonly [kind: string, url: string]> = urls.flatMap((url, at) => {
    const status = statuses[at % statuses.length]
    const start = site((path) => (path === "/robots.txt" ? missing() : to(url, status)))
    const robots = site((path) => (path === "/robots.txt" ? to(`${url}robots.txt`, status) : html("a page")))
    const sitemap = site((path) =>
      path === "/robots.txt"
        ? new Response(`Sitemap: ${url}sitemap.xml\nSitemap: http://127.0.0.2:${sitemap.port}/other.xml`)
        : path.endsWith(".xml")
          ? to(`${url}sitemap.xml`, status)
          : html("a page")
    )
    const [body = "", head = ""] = naming(url)
    const pages = site((path) => {
      if (path === "/robots.txt") return missing()
      if (path === "/sitemap.xml")
        return new Response(`<urlset><url><loc>${url}listed</loc></url></urlset>`, {
          headers: { "content-type": "application/xml" }
        })
      if (path.startsWith("/to")) return to(url, Number(path.slice(3)))
      if (path === "/refresh")
        return new Response("", {
          headers: { link: latin1(`<${url}>; rel="canonical"`), refresh: latin1(`0; url=${url}`) }
        })
      if (path === "/chain") return to("/to302")
      return path === "/head"
        ? html("h", head)
        : html(
            `${body}<a href="/head">h</a><a href="/refresh">r</a><a href="/chain">c</a>${statuses.map((one) => `<a href="/to${one}">t</a>`).join("")}`
          )
    })
    const named = [
      ["start", url],
      ...(
        [
          ["redirect", start],
          ["robots.txt", robots],
          ["sitemap", sitemap],
          ["page", pages]
        ] as const
      ).map(([kind, { port }]) => [kind, `http://127.0.0.2:${port}/`])
    ]
    return named.flatMap(([kind, address]) =>
      kind === undefined || address === undefined ? [] : [[kind, address] as const]
    )
  })
  const queue = [...sites]
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await crawl(...next)
  }
  await Promise.all(Array.from({ length: 4 }, worker))

  const { key } = await insider(database)
  for (const url of urls) {
    tried += 2
    const { status } = await serving.ask("POST", "/api/v1/webhooks", {
      body: { events: ["audit.completed"], url },
      key
    })
    count(`webhook: ${status}`)
    if (status < 400 || status >= 500) wrong.push(`a webhook to ${url} is ${status}`)
    const moved = site(() => to(url))
    const other = await insider(database)
    const made = await serving.ask("POST", "/api/v1/webhooks", {
      body: { events: ["audit.completed"], url: `http://127.0.0.2:${moved.port}/` },
      key: other.key
    })
    const ping = await serving.ask("POST", `/api/v1/webhooks/${made.body.data.id}/ping`, { key: other.key })
    count(`webhook that redirects: ${ping.body.data?.status ?? ping.status}`)
    moved.stop(true)
  }
  for (const line of [...outcomes].map(([outcome, times]) => `${outcome}: ${times}`).sort()) console.log(`  ${line}`)
  console.log(
    `${tried} ways to lead a node to ${hosts.length} spellings of its own machine: ${secret.met.length} connections came ${[...new Set(secret.met)].slice(0, 8)}; ${wrong.length} wrong ${wrong.slice(0, 8).join("; ")}`
  )
  const code = await serving.end("SIGTERM")
  secret.stop()
  await database.remove()
  return wrong.length === 0 && secret.met.length === 0 && code === 0
}
