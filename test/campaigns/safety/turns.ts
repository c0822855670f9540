import { keyOf } from "../attackers.ts"
import { type Law, percentile } from "../fairness/figures.ts"
import { closeAll, installation } from "../fairness/installation.ts"
import { type Attack, launch } from "../fairness/launch.ts"
import type { Node } from "../node.ts"
import type { SafetyCase } from "../safety.ts"

const [connections, keys] = [300, 40]
/** Requests a second of the measured account, and seconds of each measurement; every kind of call is measured in each round. */
const [perSecond, seconds, rounds] = [25, 8, 2]
/** The factor by which the p99 may exceed that beside plain reads. */
const most = 2

/** The requests of the connections. The last three are refused. */
const kinds = {
  "plain GETs": { path: "/api/v1/projects" },
  "tools/list": { body: { id: 1, jsonrpc: "2.0", method: "tools/list" }, path: "/mcp" },
  "tools/call": {
    body: { id: 1, jsonrpc: "2.0", method: "tools/call", params: { arguments: {}, name: "list_sites" } },
    path: "/mcp"
  },
  "403": { path: "/api/v1/webhooks" },
  "422": { path: "/api/v1/projects?limit=none" },
  "429": { path: "/api/v1/projects" }
} as const
type Kind = keyof typeof kinds
const order: ReadonlyArray<Kind> = ["plain GETs", "tools/list", "tools/call", "403", "422", "429"]

const textOf = (kind: Kind, key: string) => {
  const { path, ...asked } = kinds[kind]
  const body = "body" in asked ? JSON.stringify(asked.body) : undefined
  return [
    `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${key}`,
    "Accept: application/json, text/event-stream",
    ...(body === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`]),
    "",
    body ?? ""
  ].join("\r\n")
}

/** Sends a request repeatedly, each when the previous one is answered. */
const repeat = (port: number, text: string, answered: (status: string) => void) => {
  let received = ""
  return Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (socket, bytes) => {
        received += bytes.toString("latin1")
        const end = received.indexOf("\r\n\r\n")
        const length = Number(/^content-length: (\d+)/im.exec(received)?.[1] ?? 0)
        if (end < 0 || received.length < end + 4 + length) return
        answered(received.slice(9, 12))
        received = ""
        socket.write(text)
      },
      open: (socket) => {
        socket.write(text)
      }
    }
  })
}

/** Many connections over many keys of one account. */
export const calls: Attack = async ({ base, given: { requests = [] } }, report) => {
  const port = Number(new URL(base).port)
  const open = Array.from({ length: connections }, (_, n) =>
    repeat(port, requests[n % requests.length] ?? "", report.count)
  )
  await Promise.all(open)
  report.ready()
}

/** Has each key of an account send all requests that its plan allows in a minute. */
const exhaust = `
  UPDATE api_key_passes SET passes = array_fill(clock_timestamp(), '{60}') WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1)`

/** Milliseconds of each request of another account, sent at fixed times. */
const measured = async (on: Node, key: string) => {
  const times: Array<number> = []
  const failures: Array<number> = []
  const one = async () => {
    const { seconds, status } = await on.ask("GET", "/api/v1/projects", { key })
    times.push(seconds * 1000)
    if (status !== 200) failures.push(status)
  }
  const under: Array<Promise<void>> = []
  const began = performance.now()
  for (let n = 0; n < seconds * perSecond; n++) {
    await Bun.sleep(Math.max(0, began + (n * 1000) / perSecond - performance.now()))
    under.push(one())
  }
  await Promise.all(under)
  return { failures, times }
}

/** The latency of one account beside the connections of another: plain reads, calls of agents, and refused calls. */
export const turns: SafetyCase = async () => {
  const given = await installation({ scale: 1, seconds })
  try {
    const { attacker, database, ordinary } = given
    const on = await given.serve()
    const [own = ""] = await ordinary.keys(1)
    const all = await attacker.keys(keys)
    const narrow = await Promise.all(all.map(() => keyOf(database, attacker.account, ["projects:read"])))
    const [{ id: free }] = await database.query(
      "INSERT INTO accounts (name, plan) VALUES ('campaign', 'free') RETURNING id"
    )
    const slow = await Promise.all(all.map(() => keyOf(database, free)))
    const used = (kind: Kind) => (kind === "403" ? narrow : kind === "429" ? slow : all)
    const beside = async (kind: Kind) => {
      await database.query("UPDATE api_key_passes SET passes = '{}'")
      if (kind === "429") await database.query(exhaust, [free])
      const requests = used(kind).map((key) => textOf(kind, key))
      const attack = await launch(given, on, "calls", { given: { requests }, keys: [] })
      const found = await measured(on, own)
      console.log(`  ${kind}: ${JSON.stringify(await attack.stop())}`)
      return found
    }
    const times = new Map<Kind, ReadonlyArray<number>>()
    const failures: Array<number> = []
    // Hot code is compiled before the measurement.
    for (const kind of order) await beside(kind)
    for (let round = 0; round < rounds; round++)
      for (const kind of order) {
        const found = await beside(kind)
        times.set(kind, [...(times.get(kind) ?? []), ...found.times])
        failures.push(...found.failures)
      }
    const p = (kind: Kind, share: number) => percentile(times.get(kind) ?? [], share)
    const plain = p("plain GETs", 0.99)
    const laws = order.map(
      (kind): Law => ({
        found: `p50 ${p(kind, 0.5).toFixed(0)} ms, p99 ${p(kind, 0.99).toFixed(0)} ms, ${(p(kind, 0.99) / plain).toFixed(1)} ×`,
        holds: p(kind, 0.99) <= most * plain,
        law: `beside ${connections} connections over ${keys} keys, ${kind}: p99 of another account is at most ${most} × that beside plain GETs`
      })
    )
    return [
      ...laws,
      {
        found: `${failures.length} of ${[...times.values()].flat().length}`,
        holds: failures.length === 0,
        law: "no request of the other account fails"
      }
    ]
  } finally {
    await closeAll()
  }
}
