import { readFileSync } from "node:fs"
import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { node, until } from "../node.ts"
import type { Extent } from "../safety.ts"

/** Rows of a file at a scale of 1, and megabytes of a server while it reads one. */
const million = 1_000_000
const megabytesAtMost = 400
/** Maximum seconds of an import. */
const patience = 1800

const peakOf = (pid: number) =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000)

/** A file in chunks, so that this process does not hold it. */
const file = (head: string, count: number, line: (n: number) => string) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(`${head}\n`)),
    pull: (() => {
      let n = 0
      return (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (n >= count) return controller.close()
        const lines: Array<string> = []
        for (let end = Math.min(count, n + 1000); n < end; n++) lines.push(`${line(n)}\n`)
        controller.enqueue(new TextEncoder().encode(lines.join("")))
      }
    })()
  })

const links = (count: number) =>
  file(
    "Source url,Target url,Anchor",
    count,
    (n) => `https://host${n % 50_000}.example/page/${n},https://attacker.example/,anchor ${n}`
  )
const domains = (count: number, from = 0) =>
  file("Domain,DR,Links", count, (n) => `domain${from + n}.example,${(from + n) % 100},3`)

/** A million linking pages, and lists of a million domains that are then removed: the costs on the server, and the effect on another account. */
export const backlinkRows = async ({ scale }: Extent): Promise<ReadonlyArray<Law>> => {
  const rows = Math.round(million * scale)
  const on = await installation({ scale, seconds: 0 })
  const serving = await node({ DATABASE_URL: on.database.url(), FINDABLE_BACKLINK_LOSS_AFTER: "1 second" })
  on.onClose(() => serving.end("SIGKILL"))
  const [key = ""] = await on.attacker.keys(1)
  const [other = ""] = await on.ordinary.keys(1)
  const project = async (url: string, key: string): Promise<string> =>
    (await serving.ask("POST", "/api/v1/projects", { body: { url }, key })).body.data.id
  const of = `/api/v1/projects/${await project("https://attacker.example", key)}/backlinks/imports`
  await project("https://ordinary.example", other)
  const refused: Array<string> = []
  const times: Array<number> = []
  let isOver = false
  const asking = (async () => {
    for (; !isOver; await Bun.sleep(100)) {
      const { body, seconds, status } = await serving.ask("GET", "/api/v1/projects", { key: other })
      times.push(seconds * 1000)
      if (status !== 200) refused.push(`${status} ${JSON.stringify(body)}`)
    }
  })()

  const laws: Array<Law> = []
  const bring = async (what: string, body: ReadableStream<Uint8Array>, expected: number) => {
    const began = performance.now()
    const sent = await fetch(`${serving.base}${of}`, {
      body,
      headers: { authorization: `Bearer ${key}` },
      method: "POST"
    })
    const { data, error } = Object(await sent.json())
    const read = async () => await serving.ask("GET", `${of}/${data?.id}`, { key })
    if (sent.status === 202)
      await until(async () => (await read()).body.data?.finished_at != null, patience, 1000).catch(() => 0)
    const ended = await read()
    const size = JSON.stringify(ended.body).length
    const { error: fault, rows: brought, status } = Object(ended.body.data)
    laws.push({
      found: `${sent.status} ${error?.message ?? ""} ${status} ${fault?.message ?? ""}, ${brought} rows, ${((performance.now() - began) / 1000).toFixed(0)} s, its record ${size} bytes, peak ${peakOf(serving.child.pid)} MB`,
      holds: status === "completed" && brought === expected && size < 100_000,
      law: `${what}: all rows are imported, and the record of it stays short`
    })
  }
  await bring("a million linking pages", links(rows), rows)
  await bring("a list of a million domains", domains(rows), rows)
  // Two lists without them, far enough apart, prove all of them lost.
  for (const n of [1, 2]) {
    await Bun.sleep(1500)
    await bring(`a list of others, ${n}`, domains(rows / 2, rows), rows / 2)
  }
  isOver = true
  await asking
  const peak = peakOf(serving.child.pid)
  times.sort((a, b) => a - b)
  laws.push(
    { found: `${peak} MB`, holds: peak <= megabytesAtMost, law: `the node has at most ${megabytesAtMost} MB` },
    {
      found: `${refused.length} of ${times.length}, p99 ${times[Math.floor(times.length * 0.99)]?.toFixed(0)} ms, longest ${times.at(-1)?.toFixed(0)} ms ${refused.slice(0, 2)}`,
      holds: refused.length === 0,
      law: "no request of another account fails"
    }
  )
  if (process.env.CAMPAIGN_LOG !== undefined) console.log(serving.output())
  await on.close()
  return laws
}
