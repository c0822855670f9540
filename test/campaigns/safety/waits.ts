import { connect } from "node:net"
import { keyOf } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { type Installation, installation } from "../fairness/installation.ts"
import { command, type Node, site as slowSite, until } from "../node.ts"

/** Seconds that an open request may outlive its key, and the maximum wait of a request. */
const [promised, patience] = [2, 12]

const queries = 60_000

const scopes = ["*", "site-health:write"]

/** The end of a request: its status and text, whether it ended properly, and when. */
interface End {
  readonly at: number
  readonly isWhole: boolean
  readonly text: string
}

/** A request whose response is collected to its end. */
const held = async (
  on: Node,
  method: string,
  path: string,
  init: { headers: Record<string, string>; body?: string }
) => {
  let text = ""
  const end = (isWhole: boolean): End => ({ at: performance.now(), isWhole, text })
  try {
    const response = await fetch(`${on.base}${path}`, { ...init, method })
    text = `${response.status} `
    const decoder = new TextDecoder()
    for await (const part of response.body ?? []) text += decoder.decode(part, { stream: true })
    return end(true)
  } catch {
    return end(false)
  }
}

/** An export whose reader stops after the headers until it is released: it is complete only with its last chunk. */
const paused = (on: Node, path: string, key: string) => {
  const { promise, resolve } = Promise.withResolvers<End>()
  const port = Number(new URL(on.base).port)
  const socket = connect({ host: "127.0.0.1", port }, () => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/csv\r\nAuthorization: Bearer ${key}\r\n\r\n`)
  })
  let text = ""
  const done = () => resolve({ at: performance.now(), isWhole: text.endsWith("\r\n0\r\n\r\n"), text })
  socket.on("data", (part) => {
    const isFirst = text === ""
    text = isFirst ? part.toString("latin1") : text.slice(-2000) + part.toString("latin1")
    if (isFirst) socket.pause()
    if (text.endsWith("\r\n0\r\n\r\n")) socket.destroy()
  })
  socket.on("error", done)
  socket.on("close", done)
  return { drained: promise, goOn: () => socket.resume() }
}

/** A site with many rankings. */
const ranked = async (on: Node, url: string, key: string) => {
  const { body } = await on.ask("POST", "/api/v1/projects", { body: { url }, key })
  const site: string = body.data.id
  const rows = Array.from(
    { length: queries },
    (_, n) => `2026-11-${10 + (n % 2)},query number ${n},/page-${n % 99},1,20,4`
  )
  const sent = await fetch(`${on.base}/api/v1/projects/${site}/rankings/imports?format=gsc-csv`, {
    body: `date,query,page,clicks,impressions,position\n${rows.join("\n")}\n`,
    headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
    method: "POST"
  })
  const { id } = Object(await sent.json()).data
  await until(
    async () => {
      const { data } = (await on.ask("GET", `/api/v1/projects/${site}/rankings/imports/${id}`, { key })).body
      if (data.status === "failed") throw new Error(JSON.stringify(data))
      return data.status === "completed"
    },
    120,
    500
  )
  return site
}

const callOf = (run: string, isStream: boolean) =>
  JSON.stringify({
    id: 1,
    jsonrpc: "2.0",
    method: "tools/call",
    params: {
      ...(isStream && { _meta: { progressToken: 1 } }),
      arguments: { run, wait_seconds: 50 },
      name: "get_run"
    }
  })

/** Every kind of request that outlasts a key, opened with it. */
const opened = (on: Node, run: string, key: string) => {
  const authorization = `Bearer ${key}`
  const waiting = { authorization, prefer: "wait=25" }
  const agent = { accept: "application/json, text/event-stream", authorization, "content-type": "application/json" }
  return {
    "GET /events": held(on, "GET", "/api/v1/events?type=webhook.deactivated", { headers: waiting }),
    "GET /runs/{id}": held(on, "GET", `/api/v1/runs/${run}`, { headers: waiting }),
    "lines of a run": held(on, "GET", `/api/v1/runs/${run}`, {
      headers: { accept: "application/x-ndjson", authorization }
    }),
    "get_run as JSON": held(on, "POST", "/mcp", { body: callOf(run, false), headers: agent }),
    "get_run as a stream": held(on, "POST", "/mcp", { body: callOf(run, true), headers: agent })
  }
}

const refused = /^40[13] |unauthorized|insufficient_scope|revoked_key|auth_unavailable|invalid_key/

/** Ways in which a key loses its rights, each by the party `by`. */
const waysOf = ({ database }: Installation, other: Node, manager: string) => {
  const idOf = async (key: string) => (await other.ask("GET", "/api/v1/key", { key })).body.data.id
  const changed = async (key: string, method: string, more: string, body?: unknown) => {
    const { status } = await other.ask(method, `/api/v1/keys/${await idOf(key)}${more}`, { body, key: manager })
    if (status >= 300) throw new Error(`${method} ${more} answered ${status}`)
  }
  return {
    "revoked on another node": (key: string) => changed(key, "DELETE", ""),
    "narrowed on another node": (key: string) => changed(key, "PATCH", "", { scopes: ["projects:read"] }),
    "replaced by a rotation without overlap": (key: string) => changed(key, "POST", "/rotate", { overlap: "1s" }),
    "ended by its own time": async (key: string) =>
      changed(key, "PATCH", "", { expires_at: new Date(Date.now() + 1000).toISOString() }),
    "revoked by the operator's command": async (key: string) => {
      const { code, output } = await command({ DATABASE_URL: database.url() }, ["keys", "revoke", await idOf(key)])
      if (code !== 0) throw new Error(output)
    }
  }
}

/** Requests that are open when their key is revoked, narrowed, rotated or expires: each is refused within two seconds, and no export is complete. */
export const waits = async (): Promise<ReadonlyArray<Law>> => {
  const place = await installation({ scale: 1, seconds: 10 })
  try {
    const [on, other] = [await place.serve(), await place.serve()]
    const { account } = place.attacker
    const manager = await keyOf(place.database, account, ["*", "site-health:write", "keys:manage"])
    const slow = slowSite(50, 3000)
    place.onClose(slow.stop)
    const site = await ranked(on, slow.url, manager)
    const laws: Array<Law> = []
    for (const [way, lose] of Object.entries(waysOf(place, other, manager))) {
      const key = await keyOf(place.database, account, scopes)
      const started = await on.ask("POST", `/api/v1/projects/${site}/site-health/runs`, { key: manager })
      const run: string = started.body.data.id
      const open = opened(on, run, key)
      const exporting = paused(on, `/api/v1/keywords?site_id=${site}`, key)
      await Bun.sleep(1500)
      await lose(key)
      const lost = performance.now() + (/ended|rotation/.test(way) ? 1000 : 0)
      const late = Bun.sleep(patience * 1000 - 1500)
      for (const [what, end] of Object.entries(open)) {
        const ended = await Promise.race([end, late])
        const seconds = ended === undefined ? undefined : (ended.at - lost) / 1000
        const isRefused = ended !== undefined && (!ended.isWhole || refused.test(ended.text))
        laws.push({
          found:
            ended === undefined
              ? `still open after ${patience} s`
              : `${(seconds ?? 0).toFixed(1)} s, ${ended.isWhole ? ended.text.slice(0, 60) : "broken off"}`,
          holds: isRefused && (seconds ?? patience) <= promised,
          law: `a key is ${way}: ${what} is refused within ${promised} s`
        })
      }
      await Bun.sleep(Math.max(0, lost + promised * 1000 - performance.now()))
      exporting.goOn()
      const { isWhole, text } = await exporting.drained
      await on.ask("POST", `/api/v1/runs/${run}/cancel`, { key: manager })
      laws.push({
        found: isWhole ? "whole" : `broken off${text === "" ? " before its head" : ""}`,
        holds: !isWhole && text !== "",
        law: `a key is ${way}: an export that is being read breaks off`
      })
    }
    return laws
  } finally {
    await place.close()
  }
}
