import type { Socket } from "node:net"
import { resolve } from "node:path"
import { gzipSync } from "node:zlib"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readPage } from "../../src/crawl/page/Page.ts"
import { selfTest } from "../../src/foundation/outbound/Guarded.ts"
import type { OutboundRequest } from "../../src/foundation/outbound/Outbound.ts"
import { html } from "../crawl/site/Html.ts"
import { cells, hurried, hurriedDeadline, runAll } from "../faults/crawled.ts"
import { client, eventually, get } from "../foundation/outbound/client.ts"
import { serve } from "../foundation/outbound/server.ts"

/** One law: the measured milliseconds, and their limit. */
interface Measured {
  readonly what: string
  readonly value: number
  readonly most: number
}

const ok = "HTTP/1.1 200 OK\r\n"

/** Writes a piece again and again, as long as the other side reads. */
const drip = (socket: Socket, piece: string) => {
  const timer = setInterval(() => socket.write(piece), 10)
  socket.on("close", () => clearInterval(timer))
}

const loris: Readonly<Record<string, (socket: Socket) => void>> = {
  silence: () => {},
  "a head that drips": (socket) => drip(socket, "X"),
  "a body that drips": (socket) => {
    socket.write(`${ok}\r\n`)
    drip(socket, "x")
  },
  "an encoded body that stalls": (socket) => {
    socket.write(`${ok}Content-Encoding: gzip\r\n\r\n`)
    socket.write(gzipSync("hello").subarray(0, 12))
  }
}

const tookOf = (respond: (socket: Socket) => void, more: Partial<OutboundRequest>) =>
  Effect.gen(function* () {
    const { url } = yield* serve(respond)
    const [took] = yield* Effect.timed(Effect.flip(client().exchange(get(url, more))))
    return Duration.toMillis(took)
  }).pipe(Effect.scoped)

const exchanges = Effect.gen(function* () {
  const deadlines = yield* Effect.forEach(Object.entries(loris), ([name, respond]) =>
    Effect.map(tookOf(respond, { deadline: "250 millis" }), (value) => ({
      most: 550,
      value,
      what: `an exchange with ${name} and a deadline of 250 ms`
    }))
  )
  const stalled = (socket: Socket) => void socket.write(`${ok}Content-Length: 50\r\n\r\nhello`)
  const idle = yield* tookOf(stalled, { idleTimeout: "100 millis" })
  return [...deadlines, { most: 400, value: idle, what: "an exchange that stalls and may be idle for 100 ms" }]
})

const interruption = Effect.gen(function* () {
  const server = yield* serve(() => {})
  const asked = Effect.fork(client().exchange(get(server.url, { deadline: "1 minute" })))
  const fibers = yield* Effect.replicateEffect(asked, 200)
  yield* eventually(() => server.requests.filter((request) => request.length > 0).length === 200)
  const [took] = yield* Effect.timed(Fiber.interruptAll(fibers))
  return [{ most: 1000, value: Duration.toMillis(took), what: "the interruption of 200 exchanges" }]
}).pipe(Effect.scoped)

/** The best of five, because other work runs in this process. */
const best = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.replicateEffect(Effect.timed(work), 5), (all) =>
    Math.min(...all.map(([took]) => Duration.toMillis(took)))
  )

const pieces = Effect.gen(function* () {
  const row = (index: number) =>
    `<li class="item"><a href="/page/${index}?x=1&amp;y=2">Link ${index} to a page</a></li>\n`
  const large = `<!doctype html><title>x</title>${Array.from({ length: 4000 }, (_, index) => row(index)).join("")}`
  const bytes = new TextEncoder().encode(large)
  const read = yield* best(Effect.sync(() => readPage({ bytes, charset: "utf-8", url: "https://site.test/" })))
  return [
    { most: 100, value: yield* best(selfTest), what: "the self-test of the guarded client" },
    { most: 250, value: read, what: "reading a page of 4,000 links" }
  ]
})

/** Crawls of every fault in every role, ended by their deadline. */
const crawls = Effect.map(
  runAll(() => hurried, cells, 3),
  (outcomes) =>
    [...outcomes].map(([key, { millis }]) => ({
      most: hurriedDeadline + 1000,
      value: millis,
      what: `a crawl with a deadline of ${hurriedDeadline} ms of a site with ${key}`
    }))
)

/** A crawl command on a site that keeps connections open for two minutes; the client would keep them for 30 s. */
const command = Effect.gen(function* () {
  const answer = () => new Response(html({ title: "Home" }), { headers: { "content-type": "text/html" } })
  const site = yield* Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ fetch: answer, hostname: "127.0.0.1", idleTimeout: 120, port: 0 })),
    (server) => Effect.promise(() => server.stop(true))
  )
  const main = resolve(import.meta.dir, "../../src/bin.ts")
  const run = Effect.promise(
    () =>
      Bun.spawn([process.execPath, main, "crawl", site.url.href, "--json"], {
        env: { ...process.env, FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8" },
        stdout: "ignore"
      }).exited
  )
  const [took, code] = yield* Effect.timed(run)
  return [{ most: 20_000, value: Duration.toMillis(took), what: `the command of a crawl, which ended with ${code},` }]
}).pipe(Effect.scoped)

/** `deadlines`: the duration of exchanges, crawls, interruptions and work between them that have time limits. */
export const deadlines = async () => {
  const parts: ReadonlyArray<Effect.Effect<ReadonlyArray<Measured>, unknown>> = [
    pieces,
    exchanges,
    interruption,
    command,
    crawls
  ]
  let isKept = true
  for (const part of parts) {
    const all = [...(await Effect.runPromise(part))].sort((a, b) => b.value - a.value)
    for (const [index, { most, value, what }] of all.entries()) {
      if (value > most) isKept = false
      if (value > most || index < 6)
        console.log(`${value > most ? "BROKEN " : ""}${what} took ${Math.round(value)} ms, at most ${most}`)
    }
    console.log(`${all.length} measured`)
  }
  return isKept
}
