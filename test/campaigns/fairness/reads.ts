import { connect } from "node:net"
import { ask, type Node, until } from "../node.ts"
import { byCode, type Law, laws, percentile, type Result } from "./figures.ts"
import type { Installation } from "./installation.ts"
import { type Arms, type Attack, launch } from "./launch.ts"
import { ordinary } from "./ordinary.ts"
import { paced } from "./paced.ts"

const pairs = 2_500_000
const readers = 12
const slowReaders = 12
/** Minutes to wait for the import of the pairs. */
const patience = 30

/** Rows with different pairs, over 28 days; one page has a tenth of them, and one query in 100,000 contains a rare syllable. */
const rows = (count: number) => {
  const lines = (from: number, to: number) => {
    let text = ""
    for (let n = from; n < to; n++) {
      const day = new Date(Date.now() - (3 + (n % 28)) * 86_400_000).toISOString().slice(0, 10)
      const page = n % 10 === 0 ? "/hub" : `/page/${n % 20_000}`
      const query = `word ${(n * 7919) % 100_003} ${n}${n % 100_000 === 7 ? " zyqx" : ""}`
      text += `${day},${query},${page},0,${1 + (n % 90)},${1 + (n % 40)},${n % 3 === 0 ? "DEU" : "FRA"},${n % 2 === 0 ? "MOBILE" : "DESKTOP"}\n`
    }
    return text
  }
  return new ReadableStream<Uint8Array>({
    start: (stream) =>
      stream.enqueue(new TextEncoder().encode("Date,Query,Page,Clicks,Impressions,Position,Country,Device\n")),
    pull: (() => {
      let from = 0
      return (stream) => {
        const to = Math.min(count, from + 5000)
        stream.enqueue(new TextEncoder().encode(lines(from, to)))
        from = to
        if (from >= count) stream.close()
      }
    })()
  })
}

/** A site of the attacker with all these pairs, imported as one file. */
export const armReads = async ({ attacker, options: { scale } }: Installation, { base }: Node): Promise<Arms> => {
  const keys = await attacker.keys(readers)
  const [key] = keys
  const { body } = await ask(base, "POST", "/api/v1/projects", { body: { url: "https://large.example" }, key })
  const project: string = body.data.id
  const all = `/api/v1/projects/${project}/rankings/imports`
  const began = performance.now()
  const sent = await fetch(`${base}${all}?format=gsc-csv`, {
    body: rows(pairs * scale),
    headers: { authorization: `Bearer ${key}` },
    method: "POST"
  })
  const { data, error } = Object(await sent.json())
  if (sent.status !== 202) throw new Error(`The pairs were not accepted: ${sent.status} ${error?.message}`)
  let state = "queued"
  const over = async () => {
    const found = await ask(base, "GET", `${all}/${data.id}`, { key })
    state = found.body?.data?.status ?? state
    return state === "completed" || state === "failed"
  }
  await until(over, patience * 60, 2000)
  if (state === "failed") throw new Error("The import of the pairs failed")
  console.log(`  ${pairs * scale} pairs were imported within ${((performance.now() - began) / 1000).toFixed(0)} s`)
  return { given: { project: [project] }, keys }
}

/** The most costly lists: sums by filters without a sum table, late pages, searches without an index. */
const costly = (project: string) => {
  const table = `/api/v1/projects/${project}/performance`
  const long = `start=${new Date(Date.now() - 400 * 86_400_000).toISOString().slice(0, 10)}`
  return [
    `${table}?by=query&page_path=/hub&limit=100`,
    `${table}?by=page&device=MOBILE&${long}`,
    `/api/v1/projects/${project}/cannibalisation`,
    `${table}?by=query&country=deu&limit=100&${long}`,
    `/api/v1/keywords?site_id=${project}&query=zyqx&limit=100`,
    `${table}?by=query&limit=100`,
    `/api/v1/keywords?site_id=${project}&query=%C3%9F&min_impressions=80`,
    `${table}?by=page&country=fra&device=DESKTOP&limit=100`
  ]
}

/** Readers of one tenant, each with a key, who walk through lists. */
export const reads: Attack = async ({ base, given: { project: [project = ""] = [] }, keys }, report) => {
  const paths = costly(project)
  report.ready()
  const reader = (key: string, number: number) => {
    let next: string | undefined
    return paced(report, async (round) => {
      const { body, status } = await ask(base, "GET", next ?? paths[(number + round) % paths.length] ?? "", { key })
      const link = Object(body?.links).next
      // A walk reaches the deepest pages last.
      next = typeof link === "string" && round % 50 !== 49 ? link.replace(/^https?:\/\/[^/]+/, "") : undefined
      return `${status}`
    })
  }
  await Promise.all(keys.map(reader))
}

/** Exports that are read at 1 KiB a second. */
export const slowExports: Attack = async (
  { base, given: { project: [project = ""] = [] }, keys: [key = ""] },
  report
) => {
  const port = Number(new URL(base).port)
  const lists = [`/api/v1/projects/${project}/performance?by=query`, `/api/v1/keywords?site_id=${project}`]
  report.ready()
  const read = (path: string) =>
    new Promise<string>((done) => {
      let begin = ""
      const socket = connect({ host: "127.0.0.1", port })
      socket.on("connect", () =>
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/x-ndjson\r\n\r\n`
        )
      )
      socket.on("data", (chunk) => {
        if (begin === "") begin = chunk.toString("latin1").slice(9, 12)
        socket.pause()
        setTimeout(() => socket.resume(), (chunk.length / 1024) * 1000)
      })
      socket.on("error", () => done("broken off"))
      socket.on("close", () => done(begin === "" ? "no answer" : `ended after ${begin}`))
    })
  const slow = async (number: number) => {
    for (;;) {
      report.count(await read(lists[number % lists.length] ?? ""))
      await Bun.sleep(1000)
    }
  }
  await Promise.all(Array.from({ length: slowReaders }, (_, number) => slow(number)))
}

/** Checks whether the server is ready, four times a second, until it is stopped. */
export const readiness = (on: Node) => {
  const states: Record<string, number> = {}
  const times: Array<number> = []
  const asking = setInterval(async () => {
    const { seconds, status } = await on.ask("GET", "/readyz")
    states[status] = (states[status] ?? 0) + 1
    times.push(seconds * 1000)
  }, 250)
  return (): Law => {
    clearInterval(asking)
    const { 200: ready = 0 } = states
    return {
      found: `${byCode(states)}; p99 ${percentile(times, 0.99).toFixed(0)} ms`,
      holds: ready === times.length && ready > 0,
      law: "/readyz says at all times that the node is ready"
    }
  }
}

/** Twelve readers of a large site with the most costly lists, first alone, then beside slow readers of exports. */
export const readsCase = async (installation: Installation): Promise<Result> => {
  const { seconds } = installation.options
  const on = await installation.serve()
  const arms = await armReads(installation, on)
  const tenant = await ordinary(installation, on)
  const idle = await tenant.measure(seconds)
  const ready = readiness(on)
  const reading = await launch(installation, on, "reads", arms)
  const attacked = await tenant.measure(seconds)
  const exporting = await launch(installation, on, "slowExports", arms)
  const beside = await tenant.measure(seconds)
  console.log(
    `  reads: ${JSON.stringify(await reading.stop())}, slow exports: ${JSON.stringify(await exporting.stop())}`
  )
  return {
    figures: { idle, reads: attacked, "reads and slow exports": beside },
    laws: [...laws("reads", idle, attacked), ...laws("reads and slow exports", idle, beside), ready()]
  }
}
