import { createSocket } from "node:dgram"
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import { gzipSync } from "node:zlib"
import { html } from "../../crawl/site/Html.ts"
import type { Hostile, Targets } from "./pages.ts"

/** The one address that crawls of the campaign may reach. */
const openHost = "127.0.0.2"

/** The name of which `rebinding.ts` tells two addresses. */
const reboundHost = "rebound.test"

/** Spellings of addresses of this machine that are closed, those in its networks among them: browsers treat the loopback interface apart. */
const closedHosts = [
  ...Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).flatMap(({ address, family, internal }) => (internal || family !== "IPv4" ? [] : [address]))
  ),
  "localhost",
  "[::1]",
  "0.0.0.0",
  "2130706433",
  "127.1",
  "[::ffff:127.0.0.1]",
  "0x7f.1"
]

const portOf = (server: { readonly address: () => string | { readonly port: number } | null }) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Whether a request is one of the crawl's own client. */
const isOurs = (method: string, agent: string) => /^(?:GET|HEAD)$/.test(method) && agent.includes("FindableBot")

/** A listener on every address of this machine, over TCP and UDP: what came to closed ones, and what came to the open one from others than our client. */
export const trap = async () => {
  const escaped: Array<string> = []
  let allowed = 0
  const server = createServer((socket) => {
    const isClosed = socket.localAddress?.endsWith(openHost) !== true
    if (isClosed) escaped.push(`a connection to ${socket.localAddress}`)
    socket.on("error", () => socket.destroy())
    socket.once("data", (bytes) => {
      const head = bytes.toString("latin1")
      const [line = ""] = head.split("\r\n")
      const agent = /^user-agent: (.*?)\r$/im.exec(head)?.[1] ?? ""
      if (isClosed || !isOurs(line.split(" ")[0] ?? "", agent))
        escaped.push(`${line.slice(0, 80)} by ${agent.slice(0, 40)}`)
      else allowed += 1
      const body = isClosed ? "secret" : "void 0"
      const fields = "Access-Control-Allow-Origin: *\r\nContent-Type: text/plain\r\nConnection: close\r\n"
      socket.end(`HTTP/1.1 200 OK\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`)
    })
  })
  await new Promise<void>((listening) => server.listen({ host: "::", ipv6Only: false, port: 0 }, listening))
  const port = portOf(server)
  const datagrams = createSocket("udp6")
  datagrams.on("message", (_, { address }) => escaped.push(`a datagram from ${address}`))
  await new Promise<void>((bound) => datagrams.bind({ address: "::", port }, bound))
  return {
    /** What has come since it was last asked. */
    take: () => {
      const taken = { allowed, escaped: escaped.splice(0) }
      allowed = 0
      return taken
    },
    port,
    /** Throws unless it sees what it must see. */
    prove: async () => {
      const sender = createSocket("udp4")
      sender.send("x", port, "127.0.0.1")
      await fetch(`http://127.0.0.1:${port}/`).then((answer) => answer.text())
      await Bun.sleep(200)
      sender.close()
      const kinds = new Set(escaped.splice(0).map((what) => what.split(" ")[1]))
      if (!kinds.has("datagram") || !kinds.has("connection")) throw new Error("The trap does not see what comes to it")
    },
    stop: () => {
      server.close()
      datagrams.close()
    }
  }
}

const others = ["/first", "/last"]

const paged = (title: string, body: string, head = "") => html({ body, head, title })

const changing = `<script>document.querySelector("h1").textContent = "By a script"</script>`

const zeros = Buffer.alloc(1 << 20, "0 ")
const bomb = gzipSync(Buffer.alloc(2 ** 30), { level: 9 })

/** Writes pieces as fast as they are read, up to a number of MiB. */
const pour = (response: ServerResponse, mebibytes: number, type: string) => {
  response.writeHead(200, { "content-type": type })
  let left = mebibytes
  const write = () => {
    while (left > 0) {
      left -= 1
      if (!response.write(zeros)) return
    }
    response.end()
  }
  response.on("drain", write)
  write()
}

const worker = (addresses: ReadonlyArray<string>) =>
  `${addresses.map((url) => `fetch(${JSON.stringify(url)}+"of-service-worker",{mode:"no-cors"}).catch(()=>{});`).join("")}self.onfetch=(e)=>{for(const u of ${JSON.stringify(addresses)})fetch(u+"of-fetch",{mode:"no-cors"})}`

/** Answers that pages of the site ask for, by their path. */
const files: Readonly<Record<string, (response: ServerResponse, query: string) => void>> = {
  "/bomb": (response) => {
    response.writeHead(200, { "content-encoding": "gzip", "content-type": "text/plain" })
    response.end(bomb)
  },
  "/drip": (response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    const timer = setInterval(() => response.write("x"), 100)
    response.on("close", () => clearInterval(timer))
  },
  "/elsewhere": (response) => response.writeHead(200, { "content-type": "text/html" }).end(paged("Elsewhere", "")),
  "/file.bin": (response) =>
    response
      .writeHead(200, {
        "content-disposition": 'attachment; filename="file.bin"',
        "content-type": "application/octet-stream"
      })
      .end("file"),
  "/huge": (response, query) =>
    pour(response, 200, query === "css" ? "text/css" : query === "js" ? "text/javascript" : "text/plain"),
  "/import.css": (response, query) =>
    response
      .writeHead(200, { "content-type": "text/css" })
      .end(`@import "/import.css?${query}0";@import "/import.css?${query}1";p{color:red}`),
  "/large": (response) => pour(response, 9, "text/plain"),
  "/many": (response) => response.writeHead(200, { "content-type": "application/json" }).end("1"),
  "/round": (response) => response.writeHead(302, { location: `/round?${Math.random()}` }).end(),
  "/service-worker.js": (response, query) =>
    response
      .writeHead(200, { "content-type": "text/javascript", "service-worker-allowed": "/" })
      .end(worker(query.split("&").map(decodeURIComponent))),
  "/silent": () => undefined,
  "/to": (response, query) => {
    const [target = "", ...rest] = query.split("&")
    response.writeHead(302, { location: decodeURIComponent(target) + rest.join("&") }).end()
  },
  "/x.png": (response) => response.writeHead(200, { "content-type": "image/png" }).end("")
}

/** A site of a start page and, linked from it, hostile pages among two whose scripts write their heading. */
export const site = async (trapPort: number) => {
  let hostile: ReadonlyMap<string, Hostile> = new Map()
  let requests = 0
  const escaped: Array<string> = []
  const open = new Set<Socket>()
  const own = { port: 0 }
  const targets = (): Targets => ({
    closed: [`http://127.0.0.1:${trapPort}/`, ...closedHosts.map((host) => `http://${host}:${trapPort}/`)],
    open: `http://${openHost}:${trapPort}/`,
    rebound: `http://${reboundHost}:${trapPort}/`,
    site: `http://${openHost}:${own.port}/`
  })
  const answer = ({ headers, method = "", url = "" }: IncomingMessage, response: ServerResponse) => {
    requests += 1
    if (!isOurs(method, headers["user-agent"] ?? "")) escaped.push(`${method} ${url.slice(0, 80)} at the site`)
    const { pathname, search } = new URL(url, "http://a")
    const page = hostile.get(pathname)
    const send = (body: string, more: Readonly<Record<string, string>> = {}) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...more }).end(body)
    const [first = "", last = ""] = others
    if (pathname === "/") {
      const links = [first, ...hostile.keys(), last].map((to) => `<a href="${to}">to ${to}</a>`)
      return send(paged("Start", links.join(" ") + changing))
    }
    if (others.includes(pathname)) return send(paged(pathname, changing))
    if (page !== undefined)
      return send(paged(`Page ${pathname}`, page.body(targets()), page.head?.(targets())), page.headers?.(targets()))
    const file = files[pathname]
    return file === undefined ? response.writeHead(404).end() : file(response, search.slice(1))
  }
  const server = createHttpServer(answer)
  server.on("upgrade", ({ url = "" }, socket) => {
    escaped.push(`an upgrade of ${url.slice(0, 80)} at the site`)
    socket.destroy()
  })
  server.on("connection", (socket) => {
    open.add(socket)
    socket.on("error", () => socket.destroy())
    socket.on("close", () => open.delete(socket))
  })
  await new Promise<void>((listening) => server.listen(0, openHost, listening))
  own.port = portOf(server)
  return {
    /** Connections that are open. */
    open: () => open.size,
    others,
    put: (pages: ReadonlyMap<string, Hostile>) => {
      hostile = pages
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
    take: () => {
      const taken = { escaped: escaped.splice(0), requests }
      requests = 0
      return taken
    },
    url: targets().site
  }
}
