import type { Law } from "../fairness/figures.ts"
import { type Answer, type Node, type Request, until } from "../node.ts"
import { credentials, type Others } from "./others.ts"

const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)

/** A file of search data in which one query loses nine positions, which is an event. */
export const searchData = (rows: number) =>
  [
    "Date,Query,Page,Clicks,Impressions,Position",
    `${day(3)},falling,/a,1,40,12`,
    `${day(10)},falling,/a,1,40,3`,
    ...Array.from({ length: rows }, (_, n) => `${day(3 + (n % 20))},query ${n},/page/${n % 1000},0,${1 + (n % 50)},5`)
  ].join("\n")

/** A list of linking pages, on hosts that the site itself serves. */
const linking = (site: string, rows: number) =>
  [
    "Source url,Target url,Anchor",
    ...Array.from(
      { length: rows },
      (_, n) => `${site.replace("127.0.0.1", `127.0.0.${10 + n}`)}/links/${n},${site}/,site`
    )
  ].join("\n")

/** A piece of work: `over` returns whether it ended, and how. */
interface Piece {
  readonly name: string
  readonly over: () => Promise<string | undefined>
  readonly good: ReadonlyArray<string>
}

/** One account with a piece of every kind of locked work, begun through the API of a server. */
export const leased = async (node: Node, key: string, { gate, hook, repository, site }: Others, rows = 20_000) => {
  const send = async (method: string, path: string, body?: unknown, more: Request = {}): Promise<Answer> => {
    const answer = await node.ask(method, `/api/v1${path}`, { body, key, ...more })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer
  }
  const post = async (path: string, body?: unknown) => (await send("POST", path, body)).body.data
  const file = async (path: string, body: string) => {
    const response = await fetch(`${node.base}/api/v1${path}`, {
      body,
      headers: { authorization: `Bearer ${key}` },
      method: "POST"
    })
    const { data } = Object(await response.json())
    if (response.status !== 202) throw new Error(`${path}: ${response.status}`)
    return String(data.id)
  }
  const runs = ["site_health.completed", "site_health.failed", "site_health.score_dropped"]
  await post("/webhooks", {
    events: ["audit.completed", "audit.failed", "ranking.dropped", ...runs],
    url: `${hook}/one`
  })
  const project = String((await post("/projects", { url: site })).id)
  const of = `/projects/${project}`
  const read = async (path: string, from = node) => (await from.ask("GET", `/api/v1${path}`, { key })).body?.data
  const pieces: Array<Piece> = []
  const piece = (name: string, path: string, good: ReadonlyArray<string>) =>
    pieces.push({
      good,
      name,
      over: async () => {
        const found = await read(path)
        const isOver = found?.finished_at != null || ["completed", "failed", "partial"].includes(found?.status)
        return isOver
          ? `${found.status}${found.error ? ` ${JSON.stringify(found.error)}` : ""}${found.reason ? ` ${found.reason}` : ""}`
          : undefined
      }
    })

  await send("PUT", `${of}/rankings/source`, { credentials: credentials(), every: "off", property: `${site}/` })
  await send("PUT", `${of}/connectors/github`, { token: "github_pat_campaign" })
  for (const text of ["Which shop is best?", "Who sells shoes?", "What is a shop?"])
    await post(`${of}/geo/prompts`, { text })
  const change = await post(`${of}/interventions`, {
    changes: [{ content: "<title>New</title>\n", expected_sha: null, path: "new.html" }],
    connector: "github",
    repo: repository.name,
    summary: "A new page"
  })

  /** Begins all of it. Upstreams should hold their responses back. */
  const begin = async () => {
    piece("site health run", `/runs/${(await post(`${of}/site-health/runs`, { max_pages: 4 })).id}`, [
      "completed",
      "partial"
    ])
    piece("AI visibility run", `${of}/geo/runs/${(await post(`${of}/geo/runs`, { engines: ["openai"] })).id}`, [
      "completed"
    ])
    piece(
      "synchronisation",
      `${of}/rankings/source/syncs/${(await post(`${of}/rankings/source/sync`, { days: 3 })).id}`,
      ["completed"]
    )
    const urls = Array.from({ length: 10 }, (_, n) => `${site}/${n}`)
    await post(`${of}/inspections`, { urls })
    pieces.push({
      good: ["done"],
      name: "inspections",
      over: async () => {
        const all: ReadonlyArray<{ status: string }> = (await read(`${of}/inspections?limit=100`)) ?? []
        const states = new Set(all.map(({ status }) => status))
        return all.length === urls.length && !states.has("queued") ? [...states].join() : undefined
      }
    })
    const schedule = await post("/audit-schedules", { every: "15m", source: "psi", url: `${site}/` })
    pieces.push({
      good: ["recorded"],
      name: "audit's slot",
      over: async () => {
        const next = (await read(`/audit-schedules/${schedule.id}`))?.next_at
        return Date.parse(next) > Date.parse(schedule.next_at) ? "recorded" : undefined
      }
    })
    piece("backlink import", `${of}/backlinks/imports/${await file(`${of}/backlinks/imports`, linking(site, 8))}`, [
      "completed"
    ])
    pieces.push({
      good: ["looked"],
      name: "look round",
      over: async () => {
        const all: ReadonlyArray<{ checked_at: string | null }> = (await read(`${of}/backlinks?limit=100`)) ?? []
        return all.length === 8 && all.every(({ checked_at }) => checked_at !== null) ? "looked" : undefined
      }
    })
    for (const [kind, body] of [
      ["site-health", { every: "6h", max_pages: 3 }],
      ["geo", { engines: ["openai"], every: "1d", repeats: 1 }]
    ] as const) {
      const made = await post(`${of}/${kind}/schedules`, body)
      pieces.push({
        good: ["moved"],
        name: `schedule of ${kind}`,
        over: async () => {
          const found = await read(`${of}/${kind}/schedules/${made.id}`)
          return Date.parse(found?.next_at) > Date.parse(made.next_at) ? "moved" : undefined
        }
      })
    }
    piece("import", `${of}/rankings/imports/${await file(`${of}/rankings/imports?format=gsc-csv`, searchData(rows))}`, [
      "completed"
    ])
    pieces.push({
      good: ["proposed"],
      name: "intervention's poll",
      over: async () => {
        const found = await read(`${of}/interventions/${change.id}`)
        return Date.parse(found?.next_look_at) > Date.now() - 20_000 ? found.status : undefined
      }
    })
  }

  /** The result of each piece, after a maximum number of seconds. */
  const ends = async (atMost: number) => {
    const found = new Map<string, string>()
    await until(
      async () => {
        for (const { name, over } of pieces) {
          if (found.has(name)) continue
          const end = await over()
          if (end !== undefined) found.set(name, end)
        }
        return found.size === pieces.length
      },
      atMost,
      500
    ).catch(() => 0)
    return pieces.map(({ good, name }) => ({
      end: found.get(name) ?? "not over",
      isGood: good.includes(found.get(name) ?? ""),
      name
    }))
  }

  const repeated = (start: string) =>
    gate
      .seen(start)
      .filter(([, count]) => count > 1)
      .map(([name, count]) => `${count} × ${name.slice(0, 120)}`)

  /**
   * What must hold after a fault: every piece of work ended well, every paid answer is kept, and nothing was sent twice. `excused`: pieces that may end
   * otherwise; `again`: how often work that was under way may be read again.
   */
  const laws = async (
    atMost: number,
    { again = 1, excused = [] as ReadonlyArray<string> } = {}
  ): Promise<ReadonlyArray<Law>> => {
    const bad = (await ends(atMost)).filter(({ isGood, name }) => !isGood && !excused.includes(name))
    const [geo] = (await read(`${of}/geo/runs?limit=1`)) ?? []
    const engine = gate.seen("engine").reduce((sum, [, count]) => sum + count, 0)
    const writes = repeated("github POST")
    const looked = gate
      .seen("google POST /v1/url")
      .concat(gate.seen("psi"))
      .filter(([, count]) => count > again)
    // Events are delivered within a retry.
    await Bun.sleep(8000)
    const events: ReadonlyArray<unknown> = (await read("/events?limit=100")) ?? []
    const delivered = gate.seen("hook")
    return [
      {
        found: bad.map(({ end, name }) => `${name}: ${end}`).join("; ") || "all",
        holds: bad.length === 0,
        law: "every piece of work ends well"
      },
      {
        found: `${geo?.answered} answers of ${engine} questions that engines were asked, ${geo?.planned} were planned`,
        holds: engine <= geo?.planned && (again > 1 || geo?.answered === engine),
        law: "no engine is asked twice, and no answer is lost"
      },
      { found: writes.join("; ") || "none", holds: writes.length === 0, law: "nothing is written twice at GitHub" },
      {
        found: looked.map(([name, count]) => `${count} × ${name.slice(0, 120)}`).join("; ") || "none",
        holds: looked.length === 0,
        law: `Google is asked for nothing more than ${again === 1 ? "once" : `${again} times`}`
      },
      {
        found: `${delivered.length} of ${events.length} delivered; again: ${repeated("hook").length}`,
        holds: delivered.length === events.length && (again > 1 || repeated("hook").length === 0),
        law: "every event is delivered, once"
      }
    ]
  }

  return { begin, ends, laws, of, project, read }
}
