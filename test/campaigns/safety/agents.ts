import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { keyOf } from "../attackers.ts"
import type { Law } from "../fairness/figures.ts"
import { installation } from "../fairness/installation.ts"
import { type Node, until } from "../node.ts"

/** Maximum tokens of an answer. */
const promised = 8000

/** The vocabulary o200k from a foreign package, which only this case needs. */
const tokenizer = async (home: string): Promise<(text: string) => number> => {
  writeFileSync(join(home, "package.json"), JSON.stringify({ dependencies: { "gpt-tokenizer": "^2" }, type: "module" }))
  const installed = Bun.spawn(["npm", "install", "--no-audit", "--no-fund"], {
    cwd: home,
    stderr: "ignore",
    stdout: "ignore"
  })
  if ((await installed.exited) !== 0) throw new Error("gpt-tokenizer could not be installed")
  const { countTokens } = await import(join(home, "node_modules/gpt-tokenizer/esm/encoding/o200k_base.js"))
  return (text) => countTokens(text, { disallowedSpecial: new Set() })
}

/** Texts with many tokens: rare scripts, emoji families, letters mixed with digits, escapes. */
const loud = ["龘靐齉爩鱻麤", "👩‍👩‍👧‍👦🏳️‍🌈", "a1b2c3d4", '"\\"\\', "ẹ̵͒x̷͉", "~|{]^", "꙰ꙮ"]

const textOf = (number: number, length: number) =>
  (loud[number % loud.length] ?? "").repeat(length).slice(0, length).toWellFormed()

const page = (number: number) => {
  const links = Array.from({ length: 30 }, (_, n) => (n === number ? "/" : `/${n}`))
  const dead = `/gone-${number}-${encodeURIComponent(textOf(number, 200))}`
  const title = number % 3 === 0 ? "" : `<title>${textOf(number, 900).replace(/</g, "")} ${number % 5}</title>`
  return `<!doctype html><html><head>${title}<meta name="description" content="${textOf(number, 700).replace(/"/g, "&quot;")}"><link rel="canonical" href="/${number === 7 ? "gone" : number}"></head>
<body>${number % 2 === 0 ? "" : `<h1>${textOf(number, 500)}</h1>`}<img src="/x-${number}.png"><p>${links.map((to) => `<a href="${to}">${textOf(number, 80)}</a>`).join(" ")} <a href="${dead}">${textOf(number, 300)}</a> <a href="http://${"x".repeat(60)}.invalid/">other</a></p></body></html>`
}

const hostileSite = () =>
  Bun.serve({
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      const number = pathname === "/" ? 0 : Number(pathname.slice(1))
      return Number.isInteger(number) && number < 30
        ? new Response(page(number), { headers: { "content-type": "text/html; charset=utf-8" } })
        : new Response("gone", { status: 404 })
    },
    hostname: "127.0.0.1",
    port: 0
  })

/** One call of a tool, which waits when the key's requests of the minute are used up. */
const asked = async (on: Node, key: string, name: string, args: object, meta: object = {}): ReturnType<Node["ask"]> => {
  const answer = await on.ask("POST", "/mcp", {
    body: { id: 1, jsonrpc: "2.0", method: "tools/call", params: { arguments: args, name, ...meta } },
    headers: { accept: "application/json, text/event-stream" },
    key
  })
  if (answer.status !== 429) return answer
  await Bun.sleep(Number(answer.headers.get("retry-after") ?? 1) * 1000)
  return asked(on, key, name, args, meta)
}

/** The items that an answer names: the ids of fixes, or its rows without the tags of the answer. */
const namesOf = (text: string) => {
  const answer = JSON.parse(text)
  const rows: ReadonlyArray<Record<string, unknown>> = answer.rows ?? []
  return rows.map((row) => String(row.id ?? JSON.stringify(row).replace(/evidence-[a-z0-9]{8}/g, "evidence")))
}

/** A tool with each limit: no answer exceeds the maximum, and a larger limit names all items of a smaller one. */
const limited = async (
  call: (name: string, args: object) => Promise<string>,
  tokens: (text: string) => number,
  name: string,
  args: object,
  limits: ReadonlyArray<number>
): Promise<ReadonlyArray<Law>> => {
  let most = 0
  let lost = 0
  let before: ReadonlyArray<string> = []
  const counts: Array<number> = []
  for (const limit of limits) {
    const text = await call(name, { ...args, limit })
    most = Math.max(most, tokens(text))
    const names = namesOf(text)
    lost += before.filter((one) => !names.includes(one)).length
    counts.push(names.length)
    before = names
  }
  const what = `${name} ${JSON.stringify(args)}`
  return [
    { found: `${most} tokens at most`, holds: most <= promised, law: `${what}: no answer has over ${promised} tokens` },
    {
      found: `${counts.join(", ")} rows`,
      holds: lost === 0,
      law: `${what}: a larger limit names all that a smaller one names`
    }
  ]
}

const rankings = (site: string) => {
  const rows = Array.from({ length: 400 }, (_, n) => {
    const query = `"${textOf(n, 30 + ((n * 37) % 400)).replaceAll('"', '""')} ${n}"`
    const path = `/${encodeURIComponent(textOf(n, n % 20 === 19 ? 220 : 10))}/${n % 9}`
    return [
      `2026-11-03,${query},${path},3,${900 - n},${5 + (n % 12)}`,
      `2026-11-10,${query},${path},2,${800 - n},${7 + (n % 12)}`
    ]
  })
  return {
    path: `/api/v1/projects/${site}/rankings/imports?format=gsc-csv`,
    text: `date,query,page,clicks,impressions,position\n${rows.flat().join("\n")}\n`
  }
}

/** Agents on a site and in rankings, with arguments that try to make answers long, poor or endless. */
export const agents = async (): Promise<ReadonlyArray<Law>> => {
  const place = await installation({ scale: 1, seconds: 10 })
  const home = mkdtempSync(join(tmpdir(), "findable-agents-"))
  const hostile = hostileSite()
  place.onClose(() => hostile.stop(true))
  place.onClose(() => rmSync(home, { force: true, recursive: true }))
  try {
    const tokens = await tokenizer(home)
    const on = await place.serve()
    const key = await keyOf(place.database, place.attacker.account)
    const call = async (name: string, args: object) => {
      const { body } = await asked(on, key, name, args)
      const text: string = body.result?.content?.[0]?.text ?? ""
      if (body.result?.isError !== undefined || text === "")
        throw new Error(`${name} ${JSON.stringify(args)}: ${text || JSON.stringify(body)}`)
      return text
    }
    const site = JSON.parse(await call("add_site", { url: hostile.url.href })).id
    const { path, text } = rankings(site)
    const sent = await fetch(`${on.base}${path}`, {
      body: text,
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
      method: "POST"
    })
    const { id } = Object(await sent.json()).data
    const stateOf = async () =>
      (await on.ask("GET", `/api/v1/projects/${site}/rankings/imports/${id}`, { key })).body.data.status
    await until(async () => (await stateOf()) === "completed", 240, 500)
    await call("start_run", { max_pages: 40, site, wait_seconds: 0 })
    await until(
      async () => JSON.parse(await call("get_run", { site, wait_seconds: 50 }).catch(() => "{}")).score !== undefined,
      120,
      1000
    )
    await call("start_run", { max_pages: 30, site, wait_seconds: 50 })

    const laws: Array<Law> = []
    const check = async (name: string, args: object, limits: ReadonlyArray<number>) => {
      laws.push(...(await limited(call, tokens, name, args, limits)))
    }
    await check("read_fixes", { site }, [0, 1, 2, 3, 4, 5])
    const some = [1, 2, 3, 5, 8, 13, 21, 30, 34, 55, 89, 100]
    await check("list_findings", { site }, some)
    await check("list_findings", { rule: "broken_link", site }, some)
    await check("compare_runs", { site }, [0, ...some])
    for (const view of ["all", "losers", "opportunities", "cannibalisation"])
      await check("read_rankings", { site, view }, some)

    const fixes = JSON.parse(await call("read_fixes", { limit: 0, site })).rows
    let most = 0
    let longest = ""
    for (const { id } of fixes) {
      const text = await call("read_fixes", { fix: id, site })
      if (tokens(text) > most) [most, longest] = [tokens(text), text]
    }
    laws.push({
      found: `${most} tokens of ${fixes.length} fixes at most${longest.includes("left_out") ? ", cut" : ""}`,
      holds: most <= promised && (!longest.includes("left_out") || longest.includes("list_findings")),
      law: "read_fixes of one fix keeps the promise, and names list_findings where it is cut"
    })

    const ended = await asked(on, key, "get_run", { site, wait_seconds: 50 }, { _meta: { progressToken: 1 } })
    const atOnce = await asked(on, key, "get_run", { site }, { _meta: { progressToken: 1 } })
    const types = [ended, atOnce].map(({ headers }) => headers.get("content-type") ?? "")
    laws.push({
      found: types.join(", "),
      holds: types.every((type) => type.startsWith("application/json")),
      law: "get_run with a progressToken is no stream where nothing waits"
    })
    await on.ask("POST", "/api/v1/projects", { body: { url: "https://other.example/" }, key })
    for (const [name, args, way] of [
      ["get_run", {}, "list_sites"],
      ["read_fixes", { site: "nowhere.example" }, "list_sites"],
      ["verify_fixes", { rules: ["x".repeat(30_000)], run: crypto.randomUUID() }, ""],
      ["list_findings", { [textOf(1, 9000)]: 1 }, "Correct"],
      ["read_fixes", { limit: "龘".repeat(9000) }, "Correct"]
    ] as const) {
      const { body } = await asked(on, key, name, args)
      const text: string = body.result?.content?.[0]?.text ?? "{}"
      const { code, message, next } = JSON.parse(text)
      laws.push({
        found: `${tokens(text)} tokens, ${code}, next: ${next}`,
        holds:
          Boolean(code && message && String(next).includes(way)) && body.result.isError && tokens(text) <= promised,
        law: `${name} ${JSON.stringify(args).slice(0, 40)}: the error is short and names the way on`
      })
    }
    return laws
  } finally {
    await place.close()
  }
}
