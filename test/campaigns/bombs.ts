import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { deflateRawSync, gzipSync } from "node:zlib"
import { type Zippable, zipSync } from "fflate"
import { insider, type Operation, operationsOf, pathWith } from "./attackers.ts"
import { type Node, node, until } from "./node.ts"
import { postgres } from "./postgres.ts"
import { longestTurn, telling, toldBy } from "./turns.ts"

/** A request body, within the length limit of the contract. */
export interface Body {
  readonly name: string
  readonly text: string
}

const filled = (unit: string, bytes: number, between = ",") =>
  Array.from({ length: Math.floor(bytes / (unit.length + between.length)) }, () => unit).join(between)

/** Values that are costly to parse, to validate, or to report. */
const values = (bytes: number): Readonly<Record<string, string>> => ({
  "arrays in arrays": "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
  "objects in objects": `${'{"a":'.repeat(bytes / 6)}1${"}".repeat(bytes / 6)}`,
  "an array of numbers": `[${filled("1", bytes)}]`,
  "an array of empty objects": `[${filled("{}", bytes)}]`,
  "an array of texts": `[${Array.from({ length: bytes / 12 }, (_, index) => `"${index}.a"`).join(",")}]`,
  "many members": `{${Array.from({ length: bytes / 12 }, (_, index) => `"a${index}":1`).join(",")}}`,
  "names that differ": `[${Array.from({ length: bytes / 1200 }, (_, one) => `{${Array.from({ length: 95 }, (_, index) => `"${one}.${index}":1`).join(",")}}`).join(",")}]`,
  "one long text": `"${"a".repeat(bytes - 2)}"`,
  "one long text of letters beyond ASCII": `"${"İ".repeat(bytes / 2 - 2)}"`,
  "one long address": `"https://a.example/${"%".repeat(bytes - 30)}"`
})

/** The worst bodies of an operation: each value as the whole body, and in each field. */
export const bodiesOf = ({ body }: Operation, bytes: number): ReadonlyArray<Body> =>
  Object.entries(values(bytes - 300)).flatMap(([name, value]) => [
    { name, text: value },
    ...Object.keys(body).map((field) => ({ name: `${name} as ${field}`, text: `{"${field}":${value}}` }))
  ])

const pages = (count: number, page: (index: number) => unknown) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => page(index)))

const metrics = { preImpressions: 1000, postImpressions: 1000, preConversions: 10, postConversions: 10 }

/** The largest valid evaluation with a number of pages, in groups of equal size or with one small group. */
export const evaluation = (count: number, treated: number) => {
  const page = (index: number) => ({
    arm: index < treated ? "treatment" : "control",
    page: `/${index}/${"a".repeat(250)}`,
    preImpressions: 100 + (index % 97),
    postImpressions: 100 + (index % 89),
    preConversions: index % 17,
    postConversions: index % 13
  })
  const of = (arm: string) => {
    const mine = Array.from({ length: count }, (_, index) => page(index)).filter((one) => one.arm === arm)
    const sum = (name: "postConversions" | "postImpressions" | "preConversions" | "preImpressions") =>
      mine.reduce((all, one) => all + one[name], 0)
    return {
      preImpressions: sum("preImpressions"),
      postImpressions: sum("postImpressions"),
      preConversions: sum("preConversions"),
      postConversions: sum("postConversions")
    }
  }
  return `{"controlMetrics":${JSON.stringify(of("control"))},"treatmentMetrics":${JSON.stringify(of("treatment"))},"pages":${pages(count, page)}}`
}

/** Evaluations that are invalid in as many places as fit. */
export const wrongEvaluations: ReadonlyArray<Body> = [
  {
    name: "10,000 pages that are wrong",
    text: `{"pages":${pages(10_000, () => ({ arm: "x", preImpressions: "y", z: 1 }))}}`
  },
  {
    name: "10,000 pages with unknown fields",
    text: `{"controlMetrics":${JSON.stringify(metrics)},"treatmentMetrics":${JSON.stringify(metrics)},"pages":${pages(10_000, () => ({ arm: "control", ...metrics, preImpression: 1, postimpressions: 1, a: 1, b: 2 }))}}`
  },
  { name: "a million numbers for pages", text: `{"pages":[${"1,".repeat(1_000_000)}1]}` }
]

/** A costly file, and the way it is sent. */
export interface Bomb {
  readonly name: string
  readonly query: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const text = (content: string) => new Uint8Array(Buffer.from(content))

const own = (bytes: Uint8Array) => new Uint8Array(bytes)

const mega = 1_000_000

const header = "Date,Query,Page,Clicks,Impressions,Position\n"

/** Rows with one key and equal values, so that the database has little to do. */
const rows = (bytes: number) => {
  const row = "2026-10-08,shoes for long walks,/blog/shoes-for-long-walks,1,20,3.5\n"
  return text(header + row.repeat(Math.floor(bytes / row.length)))
}

/** Rows with different keys, each with a page URL of its own form. */
const apart = (count: number, page: (index: number) => string) =>
  text(
    header +
      Array.from({ length: count }, (_, index) => `2026-10-08,query ${index % 100},${page(index)},1,20,3.5\n`).join("")
  )

/** Rows that compress about 130 to 1, which no ratio limit detects. */
const dense = (bytes: number) => {
  const block = () => {
    const query = crypto.getRandomValues(new Uint8Array(150)).toHex()
    return Buffer.concat([
      Buffer.from(`2026-10-08,${query},/a,1,20,3.5\n`),
      Buffer.alloc(33_000, "2026-10-08,shoes,/a,1,20,3.5\n").subarray(0, 29 * 1130)
    ])
  }
  return new Uint8Array(Buffer.concat([text(header), ...Array.from({ length: bytes / 33_000 }, block)]))
}

const zip = (members: Zippable, level: 0 | 9 = 9) => own(zipSync(members, { level }))

/** Local headers of a ZIP, one after another, with arbitrary sizes. */
const members = (count: number, content: Uint8Array, said: number) => {
  const packed = deflateRawSync(content)
  const parts: Array<Buffer> = []
  for (let index = 0; index < count; index++) {
    const name = Buffer.from(`${index}.csv`)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(20, 4)
    head.writeUInt16LE(8, 8)
    head.writeUInt32LE(said === 0 ? packed.length : said, 18)
    head.writeUInt32LE(said === 0 ? content.length : said, 22)
    head.writeUInt16LE(name.length, 26)
    parts.push(head, name, packed)
  }
  return own(Buffer.concat(parts))
}

const csv = "format=gsc-csv"

const api = "format=gsc-api"

const bulk = "format=bigquery"

/** Every file of the campaign, created when it is sent. */
export const bombs: Readonly<Record<string, () => Omit<Bomb, "name">>> = {
  "100 MB of CSV in a ZIP": () => ({ bytes: zip({ "a.csv": dense(100 * mega) }), query: csv }),
  "100,000 rows that differ in a ZIP": () => ({
    bytes: zip({ "a.csv": apart(100_000, (index) => `/blog/${index}`) }),
    query: csv
  }),
  "300,000 addresses that differ in their fragment": () => ({
    bytes: own(gzipSync(apart(300_000, (index) => `/a#${index}`))),
    query: csv
  }),
  "gzip in a ZIP, packed twice": () => ({ bytes: zip({ "a.csv.gz": own(gzipSync(dense(200 * mega))) }), query: csv }),
  "gzip of gzip": () => ({ bytes: own(gzipSync(gzipSync(rows(50 * mega)))), query: csv }),
  "ZIP in ZIP in ZIP": () => ({
    bytes: zip({ "a.zip": zip({ "a.zip": zip({ "a.csv": rows(10 * mega) }) }) }),
    query: csv
  }),
  "ZIP of 100,000 members": () => ({ bytes: members(100_000, text(header), 0), query: csv }),
  "ZIP that says members have 4 GiB": () => ({ bytes: members(3, rows(mega), 0xffffffff), query: csv }),
  "ZIP that says members have a byte": () => ({ bytes: members(3, rows(mega), 1), query: csv }),
  "1 GiB of zeros in gzip": () => ({ bytes: own(gzipSync(Buffer.alloc(1024 ** 3))), query: csv }),
  "64 MiB of zeros": () => ({ bytes: new Uint8Array(64 * 1024 ** 2), query: csv }),
  "one line of 1 GiB in gzip": () => ({
    bytes: own(gzipSync(Buffer.alloc(1024 ** 3, "a,"), { level: 1 })),
    query: csv
  }),
  "a header of a million columns": () => ({ bytes: text(`${"a,".repeat(mega)}\n1\n`), query: csv }),
  "a row of a million columns": () => ({ bytes: text(`${header}${",".repeat(mega)}\n`), query: csv }),
  "a quote that stays open": () => ({ bytes: text(`${header}"${"a\n".repeat(2 * mega)}`), query: csv }),
  "arrays in arrays, 500 KB": () => ({ bytes: text(`{"rows":${"[".repeat(500_000)}`), query: api }),
  "arrays in arrays, closed": () => ({
    bytes: text(`{"rows":${"[".repeat(250_000)}${"]".repeat(250_000)}}`),
    query: api
  }),
  "objects in objects, 1 MB": () => ({
    bytes: text(`{"rows":[${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}]}`),
    query: api
  }),
  "bulk rows of arrays in arrays": () => ({
    bytes: text(`{"data_date":${"[".repeat(500_000)}${"]".repeat(500_000)}}\n`),
    query: bulk
  }),
  "a row of 100,000 members": () => ({
    bytes: text(`{${Array.from({ length: 100_000 }, (_, index) => `"${index}":1`).join(",")}}\n`),
    query: bulk
  }),
  "100 MB of JSON in gzip": () => ({
    bytes: own(
      gzipSync(
        `{"rows":[${'{"keys":["2026-10-08","shoes","https://a.example/a"],"clicks":1,"impressions":20,"position":3},'.repeat(mega)}0]}`
      )
    ),
    query: api
  })
}

/** Limits: milliseconds of CPU for one turn of the event loop, and MB for a process. */
const limits = { memory: 400, pause: 50 } as const

/** Reports of audits may be much larger than other bodies. */
const limitsOfReports = { memory: 800, pause: 120 } as const

const kibibytes = (pid: string, name: string) => {
  try {
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** The peak memory of a process in MB, since `forget` at the latest. */
const peakOf = (pid: string) => (kibibytes(pid, "VmHWM") * 1024) / 1e6

const forget = (pid: string) => writeFileSync(`/proc/${pid}/clear_refs`, "5")

/** Processes that a server started for imports. */
const decoders = (parent: number) =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || kibibytes(pid, "PPid") !== parent) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("rankings/")
    } catch {
      return false
    }
  })

/** Bytes of the most costly accepted bodies of an operation: longer bodies, or bodies with more values, are refused before they are parsed. */
const sizesFor = (path: string): ReadonlyArray<number> => {
  if (path.endsWith("/audits/imports")) return [5_800_000, 10_400_000]
  if (/\/experiments(\/\{id\}(\/assign|\/evaluate)?)?$/.test(path)) return [1_180_000]
  return [path.endsWith("/interventions") ? 768 * 1024 : 256 * 1024]
}

/** Runs an effect, and returns its costs on the server: the longest turn of the event loop, and the memory of the server and its import processes. */
const watched = async <A>(serving: Node, does: () => Promise<A>) => {
  const pid = String(serving.child.pid)
  const began = toldBy(serving)
  forget(pid)
  let ofImports = 0
  const look = () => {
    for (const child of decoders(serving.child.pid)) ofImports = Math.max(ofImports, peakOf(child))
  }
  const looking = setInterval(look, 25)
  const done = await does()
  clearInterval(looking)
  // A turn is reported when it has ended.
  await Bun.sleep(30)
  return { done, memory: peakOf(pid), ofImports, pause: longestTurn(serving, began) }
}

/** `bombs [files|bodies] [name]`: sends a server the most costly files and bodies that it accepts. */
export const bombsCampaign = async ([kind = "", only = ""]: ReadonlyArray<string>) => {
  const database = await postgres()
  const serving = await node({
    ...telling,
    DATABASE_URL: database.url()
  })
  const wrong: Array<string> = []
  const worst = { memory: 0, ofImports: 0, pause: 0 }
  const judge = (
    name: string,
    said: string,
    cost: { memory: number; ofImports: number; pause: number },
    told = true
  ) => {
    worst.memory = Math.max(worst.memory, cost.memory)
    worst.ofImports = Math.max(worst.ofImports, cost.ofImports)
    worst.pause = Math.max(worst.pause, cost.pause)
    const most = name.includes("/audits/imports") ? limitsOfReports : limits
    const isWrong = cost.pause > most.pause || Math.max(cost.memory, cost.ofImports) > most.memory
    if (isWrong) wrong.push(name)
    if (isWrong || told)
      console.log(
        `${isWrong ? "!" : " "} ${name}: ${said}; busy for ${cost.pause} ms at most, node ${cost.memory.toFixed(0)} MB, import ${cost.ofImports.toFixed(0)} MB`
      )
  }

  const send = (path: string, key: string, body: string | Uint8Array<ArrayBuffer>, type: string, method = "POST") =>
    fetch(`${serving.base}${path}`, {
      body,
      headers: { authorization: `Bearer ${key}`, "content-type": type },
      method
    })

  const files = async () => {
    const { key } = await insider(database)
    const { body } = await serving.ask("POST", "/api/v1/projects", { body: { url: "https://a.example" }, key })
    const imports = `/api/v1/projects/${body.data.id}/rankings/imports`
    for (const [name, make] of Object.entries(bombs)) {
      if (!name.includes(only)) continue
      const { bytes, query } = make()
      const { done, ...cost } = await watched(serving, async () => {
        const answer = await send(`${imports}?${query}`, key, bytes, "application/octet-stream")
        const sent = Object(await answer.json())
        if (answer.status >= 300) return `${answer.status} ${JSON.stringify(sent.error)}`
        const read = async () => (await serving.ask("GET", `${imports}/${sent.data.id}`, { key })).body.data
        const seconds = await until(async () => (await read()).finished_at !== null, 600, 100)
        const { error, rows, status } = await read()
        return `${status} after ${seconds.toFixed(1)} s, ${error === null ? `${rows} rows` : error.message.slice(0, 160)}`
      })
      judge(`${name} (${(bytes.length / 1e6).toFixed(2)} MB)`, done, cost)
    }
  }

  const bodies = async () => {
    const { key: first } = await insider(database)
    const { body: growth } = await serving.ask("POST", "/api/v1/growth-projects", {
      body: { domain: "a.example" },
      key: first
    })
    const running = async () =>
      (
        await serving.ask("POST", "/api/v1/experiments", {
          body: { name: "e", project_id: growth.data.id, status: "running" },
          key: first
        })
      ).body.data.id
    const evaluate = async ({ name, text }: Body) => {
      const path = `/api/v1/experiments/${await running()}/evaluate`
      const { done, ...cost } = await watched(serving, async () => {
        const answer = await send(path, first, text, "application/json")
        return `${answer.status}, ${(await answer.text()).length} characters`
      })
      judge(`evaluate: ${name} (${(text.length / 1e6).toFixed(2)} MB)`, done, cost)
    }
    for (const one of [
      { name: "10,000 pages", text: evaluation(10_000, 5000) },
      { name: "5,012 pages, 12 of them treated", text: evaluation(5012, 12) },
      { name: "2,000 pages, 5 of them treated", text: evaluation(2000, 5) },
      ...wrongEvaluations
    ])
      if (one.name.includes(only)) await evaluate(one)

    const one = async (operation: Operation, path: string, name: string, text: string | undefined) => {
      // A separate key is not slowed down by rate limits.
      const { key } = await insider(database)
      const { done, ...cost } = await watched(serving, async () => {
        const answer =
          text === undefined
            ? await fetch(`${serving.base}${path}`, {
                headers: { authorization: `Bearer ${key}` },
                method: operation.method
              })
            : await send(path, key, text, "application/json", operation.method)
        return { length: (await answer.text()).length, status: answer.status }
      })
      const { length, status } = done
      const label = `${operation.method} ${operation.path}: ${name}`
      judge(label, `${status}, ${length} characters`, cost, status >= 500 || length > 50_000)
      if (status >= 500 || length > 50_000) wrong.push(label)
    }
    let sent = 0
    for (const operation of await operationsOf(serving)) {
      if (!`${operation.method} ${operation.path}`.includes(only)) continue
      const path = pathWith(operation.path, {})
      if (/\/(rankings|backlinks)\/imports$/.test(operation.path)) continue
      const queries = [
        "a&".repeat(7000),
        "limit=1&".repeat(1800),
        ...operation.parameters
          .filter((parameter) => parameter.in === "query")
          .map(({ name }) => `${encodeURIComponent(name)}=${"a%25".repeat(3500)}`)
      ]
      for (const query of queries) {
        sent += 1
        await one(operation, `${path}?${query}`, `?${query.slice(0, 30)}…`, undefined)
      }
      if (!["PATCH", "POST", "PUT"].includes(operation.method)) continue
      for (const { name, text } of sizesFor(operation.path).flatMap((bytes) => bodiesOf(operation, bytes))) {
        sent += 1
        await one(operation, path, name, text)
      }
    }
    console.log(`${sent} requests with long queries and bodies`)
  }

  if (kind !== "bodies") await files()
  if (kind !== "files") await bodies()
  console.log(
    `the event loop was busy for ${worst.pause} ms of CPU at most (${limits.pause} allowed); the node's memory reached ${worst.memory.toFixed(0)} MB, that of a process of imports ${worst.ofImports.toFixed(0)} MB (${limits.memory} allowed); ${wrong.length} wrong`
  )
  const code = await serving.end("SIGTERM")
  await database.remove()
  return wrong.length === 0 && code === 0
}
