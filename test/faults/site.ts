import { connect, type Socket } from "node:net"
import { createServer } from "node:tls"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Outbound } from "../../src/foundation/outbound/Outbound.ts"
import { ResolveFailed } from "../../src/foundation/outbound/Vet.ts"
import { html } from "../crawl/site/Html.ts"
import type { Identity } from "../foundation/outbound/certificates.ts"
import { client } from "../foundation/outbound/client.ts"
import { listening, serve, track } from "../foundation/outbound/server.ts"
import { type Fault, send, trusted } from "./faults.ts"

/** The role of the faulty URL in the crawl; a link was refused with 404 and is being confirmed when the fault begins. */
export const roles = ["seed", "page", "link", "robots", "sitemap"] as const
export type Role = (typeof roles)[number]

/** Successful requests to the target's origin before the fault begins: its robots.txt, and the first refusal of a link. */
const soundBefore: Readonly<Record<Role, number>> = { seed: 1, page: 1, link: 2, robots: 0, sitemap: 1 }

const pathOf: Readonly<Record<Role, string>> = {
  seed: "/",
  page: "/x",
  link: "/x",
  robots: "/robots.txt",
  sitemap: "/sitemap.xml"
}

const headerIn = (request: string, name: string): string =>
  new RegExp(`^${name}: (.*?)\r?$`, "im").exec(request)?.[1] ?? ""

/** One request as the server saw it. */
export interface Seen {
  readonly host: string
  readonly path: string
}

/** A TLS server with the site's responses and this certificate. */
const tlsBackend = (identity: Identity, respond: (socket: Socket, request: string) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer({ ...identity }, (socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", (bytes) => respond(socket, bytes.toString("latin1")))
  })
  server.on("tlsClientError", () => {})
  track(server, sockets)
  return listening(server, sockets)
}

const passOn = (socket: Socket, first: string, port: number) => {
  const backend = connect(port, "127.0.0.1")
  backend.on("error", () => socket.destroy())
  backend.on("close", () => socket.destroy())
  socket.on("close", () => backend.destroy())
  backend.write(Buffer.from(first, "latin1"))
  socket.pipe(backend)
  backend.pipe(socket)
}

const isTls = (request: string): boolean => request.startsWith("\x16")

/**
 * A small healthy site on one port of 127.0.0.1, with one fault in one role: a start page that links to a healthy page, a
 * broken one and the target; robots.txt; a sitemap. The client reaches it as `site.test`, with `www.` and as `other.test`.
 */
export const faultySite = (fault: Fault, role: Role) =>
  Effect.gen(function* () {
    const seen: Array<Seen> = []
    const met = { target: 0, fault: 0, tls: 0, names: 0 }
    let port = 0
    const isStart = role === "seed" || role === "robots"
    const scheme = fault.kind === "tls" && isStart ? "https" : "http"
    const origin = () => `${scheme}://site.test:${port}`
    const targetOrigin = () =>
      isStart || fault.kind === "answer"
        ? origin()
        : fault.kind === "tls"
          ? `https://site.test:${port}`
          : `http://www.site.test:${port}`
    const target = () => `${targetOrigin()}${pathOf[role]}`

    const sound = (path: string): readonly [status: number, type: string, body: string] => {
      const sitemapAt = role === "sitemap" ? target() : `${origin()}/sitemap.xml`
      switch (path) {
        case "/robots.txt":
          return [200, "text/plain", `User-agent: *\nDisallow: /private\nSitemap: ${sitemapAt}\n# the end\n`]
        case "/sitemap.xml": {
          const urls = ["/", "/ok"].map((each) => `<url><loc>${origin()}${each}</loc></url>`).join("")
          return [
            200,
            "application/xml",
            `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`
          ]
        }
        case "/": {
          const links = ["/ok", "/gone", ...(role === "page" || role === "link" ? [target()] : [])]
          return [200, "text/html", html({ title: "Home", links })]
        }
        case "/ok":
        case "/x":
          return [200, "text/html", html({ title: `Page ${path}`, links: ["/"] })]
        default:
          return [404, "text/html", "nothing here"]
      }
    }

    const faultRead = Promise.withResolvers<void>()
    const waits = (path: string) =>
      role === "sitemap" && fault.kind === "answer" && fault.first === true && (path === "/ok" || path === "/gone")

    const respond = (socket: Socket, request: string) => {
      const path = /^\S+ (\S+)/.exec(request)?.[1] ?? ""
      const host = headerIn(request, "host").replace(/:\d+$/, "")
      seen.push({ host, path })
      const [status, type, body] = sound(path)
      const isTarget = path === pathOf[role]
      const refusedFirst = role === "link" && isTarget && met.target === 0
      if (isTarget) met.target += 1
      if (refusedFirst) return send(socket, 404, {})
      if (fault.kind === "answer" && (isTarget || path.startsWith("/hop/"))) {
        const count = met.fault
        met.fault += 1
        socket.once("close", () => faultRead.resolve())
        return fault.answer(socket, { path, cookie: headerIn(request, "cookie"), port, count, type, body })
      }
      const reply = () => send(socket, status, { "Content-Type": type }, body)
      if (waits(path)) faultRead.promise.then(reply)
      else reply()
    }

    const good = fault.kind === "tls" ? yield* tlsBackend(trusted.issue(["site.test"]), respond) : 0
    const bad = fault.kind === "tls" ? yield* tlsBackend(fault.identity(), respond) : 0
    const server = yield* serve(
      (socket, request) => {
        if (!isTls(request)) return respond(socket, request)
        met.tls += 1
        passOn(socket, request, met.tls > soundBefore[role] ? bad : good)
      },
      (bytes) => bytes[0] === 0x16 || bytes.includes("\r\n\r\n")
    )
    port = server.port

    const flipping = isStart ? "site.test" : "www.site.test"
    const addressesOf = (name: string): ReadonlyArray<string> => {
      if (fault.kind === "answer" && name === "www.site.test") return fault.www ?? ["127.0.0.1"]
      if (fault.kind !== "names" || name !== flipping) return ["127.0.0.1"]
      met.names += 1
      return met.names > soundBefore[role] ? fault.addresses : ["127.0.0.1"]
    }
    const outbound = client({
      authorities: [trusted.cert],
      resolver: {
        addresses: (name) =>
          Effect.suspend(() => {
            const addresses = addressesOf(name)
            return addresses.length === 0
              ? new ResolveFailed({ message: `${name} has no address` })
              : Effect.succeed(addresses)
          })
      }
    })
    return { start: `${origin()}/`, origin: origin(), target: target(), seen, layer: Layer.succeed(Outbound, outbound) }
  })
