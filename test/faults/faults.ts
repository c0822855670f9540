import type { Socket } from "node:net"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import { authority, type Identity, selfSigned } from "../foundation/outbound/certificates.ts"

/** The context of a faulty response: the request and the sound response in its place. */
export interface Asked {
  readonly path: string
  readonly cookie: string
  readonly port: number
  /** Earlier occurrences of the fault. */
  readonly count: number
  readonly type: string
  readonly body: string
}

/** The target's own response. */
interface FaultyAnswer {
  readonly kind: "answer"
  readonly answer: (socket: Socket, asked: Asked) => void
  /** The target of the site's name with `www.`. */
  readonly www?: ReadonlyArray<string>
  /** For a sitemap: links of the start page are answered after this response was read, so that it is not the last one. */
  readonly first?: true
}

/** One way in which the network or the server fails. */
export type Fault =
  | FaultyAnswer
  /** The target uses https, and its certificate becomes this one when the fault begins. */
  | { readonly kind: "tls"; readonly identity: () => Identity }
  /** The target's name resolves to these IP addresses when the fault begins; an empty list is NXDOMAIN. */
  | { readonly kind: "names"; readonly addresses: ReadonlyArray<string> }

/** Every connection uses one of these names; certificates of the tests are from here. */
export const trusted = authority("Findable test authority")

const answer = (reply: FaultyAnswer["answer"], www?: ReadonlyArray<string>): FaultyAnswer =>
  www === undefined ? { kind: "answer", answer: reply } : { kind: "answer", answer: reply, www }

const fields = (all: Readonly<Record<string, string | number>>): string =>
  Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

/** A complete response, framed by its length, and then closed. */
export const send = (
  socket: Socket,
  status: number,
  head: Readonly<Record<string, string | number>>,
  body: string | Uint8Array = ""
): void => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  socket.write(`HTTP/1.1 ${status} Said\r\n${fields({ "Content-Length": bytes.length, ...head })}\r\n`)
  socket.end(bytes)
}

const status = (code: number, head: Readonly<Record<string, string>> = {}) =>
  answer((socket, { type }) => send(socket, code, { "Content-Type": type, ...head }, "Sorry"))

/** The fault at the first request, and the sound response from then on. */
const once = (code: number, head: Readonly<Record<string, string>> = {}) =>
  answer((socket, { body, count, type }) =>
    count === 0 ? send(socket, code, head) : send(socket, 200, { "Content-Type": type }, body)
  )

const redirect = (to: (asked: Asked) => string, www?: ReadonlyArray<string>) =>
  answer((socket, asked) => send(socket, 302, { Location: to(asked) }), www)

const ok = (type: string, framing: Readonly<Record<string, string | number>>): string =>
  `HTTP/1.1 200 OK\r\n${fields({ "Content-Type": type, ...framing })}\r\n`

/** Sends a byte now and then, as long as the other side reads. */
const drip = (socket: Socket, byte: string) => {
  const timer = setInterval(() => socket.write(byte), 40)
  socket.on("close", () => clearInterval(timer))
}

const framed = (framing: (length: number) => Readonly<Record<string, string | number>>, ends: boolean) =>
  answer((socket, { body, type }) => {
    socket.write(`${ok(type, framing(Buffer.byteLength(body)))}${body}`)
    if (ends) socket.end()
  })

const encoded = (coding: string, bytes: () => Uint8Array) =>
  answer((socket, { type }) => send(socket, 200, { "Content-Type": type, "Content-Encoding": coding }, bytes()))

const lazily = <A>(make: () => A) => {
  let made: A | undefined
  return () => {
    made ??= make()
    return made
  }
}

const mebibyte = 1024 * 1024

/** A number of MiB of one letter, as some kilobytes of gzip. */
export const gzipBomb = (mebibytes: number): Uint8Array => {
  const member = gzipSync(Buffer.alloc(4 * mebibyte, "a"))
  return Buffer.concat(Array.from({ length: mebibytes / 4 }, () => member))
}

/** A number of MiB of one letter, as brotli. */
export const brotliBomb = (mebibytes: number): Uint8Array =>
  brotliCompressSync(Buffer.alloc(mebibytes * mebibyte, "a"), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })

const elevenMebibytes = lazily(() => Buffer.alloc(11 * mebibyte, "# only filler here, line by line\n"))

/** The time `seconds` from now and the current time, both as HTTP-dates. */
const retryDate = (seconds: number): Readonly<Record<string, string>> => ({
  Date: new Date().toUTCString(),
  "Retry-After": new Date(Date.now() + seconds * 1000).toUTCString()
})

const hopOf = (path: string): number => Number(/^\/hop\/(\d+)$/.exec(path)?.[1] ?? 0)

/** The faults by name. Paths under `/hop/` belong to the fault, like the target's own. */
export const faults = {
  "headers byte by byte (slow-loris)": answer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nX-Slow: ")
    drip(socket, "a")
  }),
  "body byte by byte (slow-loris)": answer((socket, { body, type }) => {
    socket.write(`${ok(type, { "Content-Length": 1_000_000 })}${body.slice(0, 40)}`)
    drip(socket, " ")
  }),
  "silence before the answer": answer(() => {}),
  "silence after the headers": answer((socket, { type }) => socket.write(ok(type, { "Content-Length": 1000 }))),
  "reset before the answer": answer((socket) => socket.resetAndDestroy()),
  "reset within the body": answer((socket, { body, type }) => {
    socket.write(`${ok(type, { "Content-Length": 100_000 })}${body}`, () =>
      // The bytes must be sent before the reset.
      setTimeout(() => socket.resetAndDestroy(), 20)
    )
  }),
  "body shorter than Content-Length": framed((length) => ({ "Content-Length": length + 20 }), true),
  "body shorter than Content-Length, kept open": framed((length) => ({ "Content-Length": length + 20 }), false),
  "body longer than Content-Length": framed((length) => ({ "Content-Length": length - 8 }), true),
  "chunks without the last one": answer((socket, { body, type }) =>
    socket.end(`${ok(type, { "Transfer-Encoding": "chunked" })}${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`)
  ),
  "gzip bomb (64 MiB)": encoded(
    "gzip",
    lazily(() => gzipBomb(64))
  ),
  "brotli bomb (64 MiB)": encoded(
    "br",
    lazily(() => brotliBomb(64))
  ),
  "11 MiB": answer((socket, { type }) => send(socket, 200, { "Content-Type": type }, elevenMebibytes())),
  "broken gzip": encoded("gzip", () => Buffer.from("this was never gzip")),
  "headers without end": answer((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\n${"X-Filler: aaaaaaaaaa\r\n".repeat(9000)}`)
  ),
  "1xx without end": answer((socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(9000))),
  "not HTTP at all": answer((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n\r\n")),
  "TLS: expired": { kind: "tls", identity: () => trusted.issue(["site.test"], [-9, -1]) },
  "TLS: self-signed": { kind: "tls", identity: () => selfSigned("site.test") },
  "TLS: another name": { kind: "tls", identity: () => trusted.issue(["other.test"]) },
  "DNS: NXDOMAIN": { kind: "names", addresses: [] },
  "DNS: flips to a private address": { kind: "names", addresses: ["169.254.169.254"] },
  "connection refused": { kind: "names", addresses: ["127.0.0.2"] },
  "redirect to itself": redirect(({ path }) => path),
  "redirect loop": redirect(({ path }) => `/hop/${(hopOf(path) % 2) + 1}`),
  "redirect chain of 12": redirect(({ path }) => `/hop/${hopOf(path) + 1}`),
  "cookie redirect": answer((socket, { body, cookie, path, type }) =>
    cookie === "seen=1"
      ? send(socket, 200, { "Content-Type": type }, body)
      : send(socket, 302, { Location: path, "Set-Cookie": "seen=1; Path=/" })
  ),
  "cookie loop": answer((socket, { cookie, path }) =>
    send(socket, 302, { Location: path, "Set-Cookie": `seen=1; Path=/; Max-Age=${cookie === "" ? 60 : 0}` })
  ),
  "cookie of another value for ever": answer((socket, { count, path }) =>
    send(socket, 302, { Location: path, "Set-Cookie": `turn=${count}; Path=/` })
  ),
  "redirect to a private address": redirect(() => "http://10.0.0.1/"),
  "redirect to the own name at a private address": redirect(
    ({ port }) => `http://www.site.test:${port}/hop/1`,
    ["10.0.0.1"]
  ),
  "redirect to another site": answer((socket, { path, port }) =>
    path === "/hop/1"
      ? send(socket, 200, { "Content-Type": "text/plain" }, "User-agent: *\nDisallow: /private\n")
      : send(socket, 302, { Location: `http://other.test:${port}/hop/1` })
  ),
  "429, Retry-After in seconds": status(429, { "Retry-After": "1" }),
  "429, Retry-After as a date": answer((socket, { type }) =>
    send(socket, 429, { "Content-Type": type, ...retryDate(1) }, "Sorry")
  ),
  "429, Retry-After beyond the run": { ...status(429, { "Retry-After": "3600" }), first: true },
  "429 without Retry-After": status(429),
  "429 once": once(429, { "Retry-After": "1" }),
  "503 for ever": status(503),
  "503 once": once(503, { "Retry-After": "1" }),
  "500 for ever": status(500),
  "bot challenge": status(403, { "Cf-Mitigated": "challenge" }),
  "204 without content": answer((socket) => socket.end("HTTP/1.1 204 No Content\r\n\r\n")),
  "200 without content": answer((socket, { type }) => send(socket, 200, { "Content-Type": type })),
  "not HTML": answer((socket) => send(socket, 200, { "Content-Type": "application/pdf" }, "%PDF-1.7 %\xe2\xe3"))
} satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults

const isFaultName = (name: string): name is FaultName => name in faults

/** All faults in the order of the table. */
export const faultNames: ReadonlyArray<FaultName> = Object.keys(faults).filter(isFaultName)
