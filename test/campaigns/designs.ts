import { gzipSync } from "node:zlib"
import { cpuOf } from "../bench/http/cpu.ts"
import { insider } from "./attackers.ts"
import { node, until } from "./node.ts"
import { postgres } from "./postgres.ts"
import { longestTurn, telling, toldBy } from "./turns.ts"

/** CPU seconds of all steps in the server, and CPU milliseconds of one turn of its event loop. */
const limits = { cpu: 2, turn: 50 } as const
const weeks = 60
/** Days since the change: settling and 28 days have passed and are final. */
const changed = 45

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

/** Totals of some weeks by page and day, equal for each page except for noise. */
const csv = (pages: number, from: number, to: number) => {
  const lines = ["Date,Page,Clicks,Impressions,Position"]
  for (let ago = from; ago > to; ago--)
    for (let n = 0; n < pages; n++) {
      const clicks = Math.round((3 + 4000 / (n + 10)) * (0.8 + 0.4 * (((n * 7919 + ago * 104_729) % 997) / 997)))
      lines.push(`${day(ago)},https://a.example/${n % 2 ? "blog" : "shop"}/${n},${clicks},${clicks * 20 + 50},4.5`)
    }
  return gzipSync(`${lines.join("\n")}\n`, { level: 1 })
}

/** `designs [--pages 5000]`: a designed experiment with stored totals, from its creation to its result, through the API. */
export const designs = async (words: ReadonlyArray<string>) => {
  const pages = Number(words[words.indexOf("--pages") + 1] ?? 5000) || 5000
  const database = await postgres()
  const serving = await node({ ...telling, DATABASE_URL: database.url() })
  const { key } = await insider(database)
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await serving.ask(method, `/api/v1${path}`, { body, key })
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
  const site = (await send("POST", "/projects", { url: "https://a.example" })).id
  const imports = `/projects/${site}/rankings/imports`
  const days = 7 * weeks + 3
  for (let from = days; from > 3; from -= 60) {
    const response = await fetch(`${serving.base}/api/v1${imports}?format=gsc-csv`, {
      body: csv(pages, from, Math.max(3, from - 60)),
      headers: { authorization: `Bearer ${key}` },
      method: "POST"
    })
    const { data } = Object(await response.json())
    await until(async () => (await send("GET", `${imports}/${data.id}`)).finished_at !== null, 300, 500)
  }
  const [{ count }] = await database.query("SELECT count(*) FROM ranking_page_facts").catch(() => [{ count: "?" }])
  console.log(`${pages} pages, ${weeks} weeks, ${count} rows of totals`)
  const growth = (await send("POST", "/growth-projects", { domain: "a.example" })).id
  const design = {
    change_date: day(changed),
    control: { pattern: "/shop/*" },
    metric: "clicks",
    site_id: site,
    treatment: { pattern: "/blog/*" }
  }
  const create = async (given: object) =>
    (await send("POST", "/experiments", { design: given, name: "e", project_id: growth })).id
  const list = { pages: Array.from({ length: pages }, (_, n) => `/${n % 2 ? "blog" : "shop"}/${n}`) }
  const broken: Array<string> = []
  const step = async <A>(name: string, does: () => Promise<A>): Promise<A> => {
    const told = toldBy(serving)
    const before = cpuOf(serving.child.pid)
    const began = performance.now()
    const done = await does()
    const millis = performance.now() - began
    // A turn is reported when it has ended.
    await Bun.sleep(30)
    const cpu = (cpuOf(serving.child.pid) - before) / 1e6
    const turn = longestTurn(serving, told)
    if (turn > limits.turn || cpu > limits.cpu) broken.push(name)
    console.log(
      `${name.padEnd(34)} ${cpu.toFixed(2)} s of CPU, ${(millis / 1000).toFixed(2)} s in all, longest turn ${turn > 20 ? turn : "below 20"} ms`
    )
    return done
  }
  for (const round of ["cold", "again", "again"]) {
    console.log(round)
    const folders = await step("create, two folders", () => create(design))
    const named = await step(`create, ${pages} paths in a list`, () => create({ ...design, treatment: list }))
    await step("power", () => send("GET", `/experiments/${folders}/power`))
    await step("start", () => send("POST", `/experiments/${folders}/start`))
    await step("preview", () => send("GET", `/experiments/${folders}/preview`))
    await step("evaluate", () => send("POST", `/experiments/${folders}/evaluate`, {}))
    await step("report", () => send("GET", `/experiments/${folders}/report`))
    const dealt = await create({ ...design, change_date: undefined, control: undefined, treatment: undefined })
    await step(`assign ${pages} paths`, () => send("POST", `/experiments/${dealt}/assign`, list))
    const auto = await create({ ...design, control: "auto", treatment: { pages: list.pages.slice(0, 100) } })
    await step("start, control: auto", () => send("POST", `/experiments/${auto}/start`))
    await step("read", () => send("GET", `/experiments/${named}`))
  }
  await serving.end("SIGTERM")
  await database.remove()
  console.log(broken.length === 0 ? "the law holds" : `beyond the limits: ${broken.join(", ")}`)
  return broken.length === 0
}
