import { ask, type Node, type Request, until } from "../node.ts"
import type { Figures } from "./figures.ts"
import type { Installation } from "./installation.ts"

/** Requests a second, sent at fixed times, whether earlier ones were answered or not. */
const perSecond = 20
/** Every n-th request is an import. */
const importEvery = 40
const keysAtOnce = 5
/** Milliseconds that a caller waits for a response. */
const patience = 30_000
/** Seconds after the last request for imports to end and events to arrive. */
const patienceForImports = 60

const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)

/** Four rows in which one query loses nine positions, which is an event. */
const file = (query: string) =>
  [
    "Date,Query,Page,Clicks,Impressions,Position",
    `${day(3)},${query},/a,1,40,12`,
    `${day(10)},${query},/a,1,40,3`,
    `${day(3)},shoes,/b,1,40,5`,
    `${day(10)},shoes,/b,1,40,5`
  ].join("\n")

/** The endpoint of the tenant's webhook; it stores when the event of a query arrived. */
const hooks = (installation: Installation) => {
  const received = new Map<string, number>()
  const server = Bun.serve({
    fetch: async (request) => {
      received.set(Object(Object(await request.json()).data).query, performance.now())
      return new Response("")
    },
    hostname: "127.0.0.1",
    port: 0
  })
  installation.onClose(() => server.stop(true))
  return { received, url: `http://127.0.0.1:${server.port}/hook` }
}

/** Imports of one measurement: their time of acceptance, and their result. */
const importing = (base: string, all: string, key: string, fail: (code: string) => void) => {
  const waiting = new Map<string, { readonly at: number; readonly query: string }>()
  const ended: Array<{ readonly at: number; readonly millis: number; readonly query: string }> = []
  const look = async () => {
    if (waiting.size === 0) return true
    const { body, status } = await ask(base, "GET", `${all}?limit=100`, { key })
    if (status !== 200) fail(`${status} of a look at imports`)
    for (const { created_at, error, finished_at, id, status: state } of body?.data ?? []) {
      const known = waiting.get(id)
      if (known === undefined || finished_at === null) continue
      waiting.delete(id)
      if (state === "completed") ended.push({ ...known, millis: Date.parse(finished_at) - Date.parse(created_at) })
      else fail(`import ${state}, ${error?.code}`)
    }
    return waiting.size === 0
  }
  return { ended, look, waiting }
}

/** A tenant with a site, some rankings and a webhook, with ordinary requests and a small import now and then. */
export const ordinary = async (installation: Installation, { base }: Node) => {
  const [own = "", ...keys] = await installation.ordinary.keys(keysAtOnce + 1)
  const { received, url } = hooks(installation)
  const post = async (path: string, body: unknown) => await ask(base, "POST", `/api/v1${path}`, { body, key: own })
  const project: string = (await post("/projects", { url: "https://ordinary.example" })).body.data.id
  await post("/webhooks", { events: ["ranking.dropped"], url })
  const all = `/api/v1/projects/${project}/rankings/imports`
  const reads = [
    `/keywords?site_id=${project}`,
    "/projects",
    `/projects/${project}/site-health/runs`,
    "/webhooks",
    `/keywords?site_id=${project}&query=shoe`
  ].map((path) => `/api/v1${path}`)
  let sent = 0

  const measure = async (seconds: number): Promise<Figures> => {
    const failures: Record<string, number> = {}
    const fail = (code: string) => {
      failures[code] = (failures[code] ?? 0) + 1
    }
    const times: Array<number> = []
    const imports = importing(base, all, own, fail)

    const bring = async () => {
      const query = `query ${sent}`
      const at = performance.now()
      const response = await fetch(`${base}${all}?format=gsc-csv`, {
        body: file(query),
        headers: { authorization: `Bearer ${own}` },
        method: "POST",
        signal: AbortSignal.timeout(patience)
      })
      const { data, error } = Object(await response.json())
      if (response.status === 202) imports.waiting.set(data.id, { at, query })
      else fail(`${response.status} ${error?.code} of an import`)
    }
    const read = async (n: number) => {
      const at = performance.now()
      try {
        const response = await fetch(`${base}${reads[n % reads.length]}`, {
          headers: { authorization: `Bearer ${keys[n % keys.length]}` },
          signal: AbortSignal.timeout(patience)
        })
        const body = Object(await response.json())
        if (response.status !== 200) fail(`${response.status} ${body.error?.code}`)
      } finally {
        times.push(performance.now() - at)
      }
    }

    const looking = setInterval(() => imports.look(), 1000)
    const under: Array<Promise<unknown>> = []
    const began = performance.now()
    for (let n = 0; n < seconds * perSecond; n++) {
      await Bun.sleep(Math.max(0, began + (n * 1000) / perSecond - performance.now()))
      sent++
      const asked = n % importEvery === 1 ? bring() : read(n)
      under.push(asked.catch((error) => fail(`no answer (${error.name ?? error})`)))
    }
    await Promise.all(under)
    clearInterval(looking)
    await until(imports.look, patienceForImports, 500).catch(() => 0)
    for (const _ of imports.waiting) fail(`import not over ${patienceForImports} s after the last request`)
    await until(() => imports.ended.every(({ query }) => received.has(query)), patienceForImports / 2).catch(() => 0)
    const events = imports.ended.flatMap(({ at, query }) => {
      const came = received.get(query)
      return came === undefined ? [] : [came - at]
    })
    const millis = imports.ended.map((one) => one.millis)
    return { events, failures, imports: millis, missing: imports.ended.length - events.length, times }
  }

  /** Sends one small file and waits until it is imported: milliseconds from its acceptance, or undefined after the time limit. */
  const importOne = async (atMost: number): Promise<number | undefined> => {
    const at = performance.now()
    const response = await fetch(`${base}${all}?format=gsc-csv`, {
      body: file(`alone ${at}`),
      headers: { authorization: `Bearer ${own}` },
      method: "POST"
    })
    const { data } = Object(await response.json())
    const over = async () =>
      (await ask(base, "GET", `${all}/${data?.id}`, { key: own })).body?.data?.status === "completed"
    return await until(over, atMost / 1000, 500).then(
      () => performance.now() - at,
      () => undefined
    )
  }

  const request = async (method: string, path: string, asked: Request = {}) =>
    await ask(base, method, `/api/v1${path}`, { key: own, ...asked })
  // Warms up compilers and caches before the measurement.
  await measure(5)
  return { importOne, measure, project, request }
}
export type Ordinary = Awaited<ReturnType<typeof ordinary>>
