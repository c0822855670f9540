import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { insider, type Operation, operationsOf, pathWith } from "./attackers.ts"
import { type Body, bodiesOf, evaluation, wrongEvaluations } from "./bombs/bodies.ts"
import { bombs } from "./bombs/files.ts"
import { type Node, node, until } from "./node.ts"
import { postgres } from "./postgres.ts"
import { longestTurn, telling, toldBy } from "./turns.ts"

/** Milliseconds of CPU that one turn of the event loop may take, and MB that a process may have. */
const limits = { memory: 400, pause: 50 } as const

const kibibytes = (pid: string, name: string) => {
  try {
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** The highest memory of a process in MB, since `forget` at the latest. */
const peakOf = (pid: string) => (kibibytes(pid, "VmHWM") * 1024) / 1e6
const forget = (pid: string) => writeFileSync(`/proc/${pid}/clear_refs`, "5")

/** Processes that a node has started for imports. */
const decoders = (parent: number) =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || kibibytes(pid, "PPid") !== parent) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("rankings/")
    } catch {
      return false
    }
  })

/** Bytes of bodies of an operation that cost most: those that are just read: what is longer, or has more values, is refused before it is parsed. */
const sizesFor = (path: string): ReadonlyArray<number> => {
  if (path.endsWith("/audits/imports")) return [2_350_000, 4_190_000]
  if (/\/experiments(\/\{id\}(\/assign|\/evaluate)?)?$/.test(path)) return [1_180_000]
  return [path.endsWith("/interventions") ? 768 * 1024 : 256 * 1024]
}

/** Does something, and says what it cost the node meanwhile: its longest turn of the event loop, its memory, and that of its imports' processes. */
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
  // A turn is told when it is over.
  await Bun.sleep(30)
  return { done, memory: peakOf(pid), ofImports, pause: longestTurn(serving, began) }
}

/** `bombs [files|bodies] [name]`: a node is sent files and bodies that cost as much as they may. */
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
    const isWrong = cost.pause > limits.pause || Math.max(cost.memory, cost.ofImports) > limits.memory
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
      // A key of its own is not slowed down by the limits of requests.
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
