import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { cpuOf } from "../bench/http/cpu.ts"
import { insider } from "./attackers.ts"
import { type Node, node } from "./node.ts"
import { postgres } from "./postgres.ts"

/** A small site in a repository, with three issues: a page without a title, a broken link, a page without a description. */
const pages: Readonly<Record<string, string>> = {
  "about.html":
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="description" content="Who makes the shoes."></head><body><h1>About</h1><p>Back to the <a href="/">start</a>.</p></body></html>\n',
  "index.html":
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shoes by hand</title><meta name="description" content="Shoes made by hand."></head><body><h1>Shoes</h1><p><a href="/about.html">About</a>, <a href="/care.html">care</a>, <a href="/sale.html">sale</a></p></body></html>\n',
  "care.html":
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Care of shoes</title></head><body><h1>Care</h1><p>Back to the <a href="/">start</a>.</p></body></html>\n'
}

/** This program's edits for each check; a real agent would follow the steps of the fix. */
const repairs: Readonly<Record<string, (text: string, name: string) => string>> = {
  broken_link: (text) => text.replace(', <a href="/sale.html">sale</a>', ""),
  description_missing: (text) =>
    text.replace("</title>", '</title><meta name="description" content="How shoes last for years.">'),
  title_missing: (text) =>
    text.replace('<meta charset="utf-8">', '<meta charset="utf-8"><title>About the makers</title>')
}

/**
 * The loop of an agent over HTTP on a site in a git repository: list issues, run, read fixes, edit, commit, verify, compare. It prints each call with the
 * tokens of its answer, and returns whether every fault was repaired and every answer stayed within 8,000 tokens.
 */
export const agentLoop = async (
  serving: Node,
  key: string,
  home: string,
  tokensOf: (text: string) => Promise<number>
): Promise<boolean> => {
  const folder = join(home, "site")
  mkdirSync(folder)
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
  const git = (...words: ReadonlyArray<string>) => {
    const who = ["-c", "user.name=agent", "-c", "user.email=agent@example.com"]
    const { exitCode, stderr, stdout } = Bun.spawnSync(["git", ...who, ...words], { cwd: folder })
    if (exitCode !== 0) throw new Error(`${stderr}`)
    return `${stdout}`
  }
  git("init", "-q")
  git("add", ".")
  git("commit", "-qm", "A site")
  const site = Bun.serve({
    fetch: ({ url }) => {
      const name = new URL(url).pathname.slice(1) || "index.html"
      return name in pages
        ? new Response(readFileSync(join(folder, name)), { headers: { "content-type": "text/html" } })
        : new Response("gone", { status: 404 })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  let most = 0
  const call = async (name: string, args: object) => {
    const { body } = await serving.ask("POST", "/mcp", {
      body: { id: 1, jsonrpc: "2.0", method: "tools/call", params: { arguments: args, name } },
      headers: { accept: "application/json, text/event-stream" },
      key
    })
    const text: string = body.result.content[0].text
    const tokens = await tokensOf(text)
    most = Math.max(most, tokens)
    console.log(`loop ${name} ${JSON.stringify(args)}\n     ${tokens} tokens: ${text.slice(0, 160)}…`)
    return JSON.parse(text)
  }
  await call("list_sites", {})
  const { id } = await call("add_site", { url: site.url.href })
  const ended = async (name: string, args: object): Promise<Awaited<ReturnType<typeof call>>> => {
    const run = await call(name, { ...args, wait_seconds: 50 })
    return run.next?.startsWith("The crawl is still running") ? await ended("get_run", { run: run.id }) : run
  }
  const first = await ended("start_run", { site: id })
  const fixes = await call("read_fixes", { limit: 3, site: id })
  for (const { id: fix } of fixes.rows) {
    const rule = String(fix).replace(/^fix_/, "")
    const repair = repairs[rule]
    if (repair === undefined) continue
    const { rows } = await call("list_findings", { rule, run: first.id })
    for (const { url } of rows) {
      const name = new URL(url).pathname.slice(1) || "index.html"
      writeFileSync(join(folder, name), repair(readFileSync(join(folder, name), "utf8"), name))
    }
    git("commit", "-qam", `Repair ${rule}`)
  }
  const rules = Object.keys(repairs)
  const verified = await call("verify_fixes", { rules, run: first.id, wait_seconds: 50 })
  await ended("start_run", { site: id })
  const compared = await call("compare_runs", { site: id })
  site.stop(true)
  console.log(git("log", "--oneline").trim().replaceAll(/^/gm, "     "))
  const fixed = new Set(
    verified.rules.flatMap((rule: { fixed: number; rule: string }) => (rule.fixed > 0 ? [rule.rule] : []))
  )
  console.log(`loop: score ${compared.score.before} to ${compared.score.after}; the longest answer has ${most} tokens`)
  return rules.every((rule) => fixed.has(rule)) && compared.score.delta > 0 && most <= 8000
}

/** Foreign programs that speak MCP, by the folder of their npm package. */
const packages = {
  new: {
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "gpt-tokenizer": "4.0.0"
  },
  old: {
    "@modelcontextprotocol/conformance": "0.1.16",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/sdk": "1.32.2"
  }
} as const

/** Scenarios for features that this server does not have by choice. If only some checks of a scenario need them, their number is given. */
const leftOut: ReadonlyArray<readonly [scenario: RegExp, why: string, checks?: number]> = [
  [/^(?:resources|prompts|completion|logging)-/, "the server has tools alone"],
  [/^(?:tools-call|elicitation|input-required-result|tasks)-/, "asks for a tool that exists for the suite"],
  [/^(?:json-schema-2020-12|http-custom-header-server-validation)$/, "asks for a tool that exists for the suite"],
  [/^server-stateless$/, "checks of a tool that exists for the suite", 4],
  [/^caching$/, "lists of prompts and resources", 3]
]

const run = async (folder: string, words: ReadonlyArray<string>, environment: Record<string, string> = {}) => {
  const child = Bun.spawn([...words], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stderr: "pipe",
    stdin: "ignore",
    stdout: "pipe"
  })
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  return { code, stdout, text: `${stdout}${stderr}` }
}

/** A port that adds the key, for programs without one. */
const keyed = (base: string, key: string) =>
  Bun.serve({
    fetch: (request) => {
      const headers = new Headers(request.headers)
      headers.set("accept-encoding", "identity")
      headers.set("authorization", `Bearer ${key}`)
      return fetch(`${base}${new URL(request.url).pathname}`, { body: request.body, headers, method: request.method })
    },
    hostname: "127.0.0.1",
    idleTimeout: 120,
    port: 0
  })

/** The use of the server by an official client: it connects, lists the tools, calls one, and one that does not exist. */
const clientOf = (imports: string, transport: string) => `
${imports}
const client = new Client({ name: "campaign", version: "1" })
await client.connect(${transport})
const { tools } = await client.listTools()
const sites = await client.callTool({ name: "list_sites", arguments: {} })
const wrong = await client.callTool({ name: "get_run", arguments: { wait_seconds: 51 } })
const unknown = await client.callTool({ name: "no_such_tool", arguments: {} }).then(() => "answered", (error) => error.code)
await client.close()
console.log(JSON.stringify({ tools: tools.length, total: JSON.parse(sites.content[0].text).total, wrong: wrong.isError, unknown }))
process.exit(0)
`

const expected = JSON.stringify({ tools: 12, total: 1, wrong: true, unknown: -32602 })

/** Resident bytes of a process. */
const residentOf = async (pid: number) => {
  const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${pid}/status`).text()) ?? []
  return Number(kib) / 1024
}

/** Mean CPU milliseconds of one request. */
const costOf = async (serving: Node, count: number, send: () => Promise<unknown>) => {
  // A key may send 50 requests a second.
  const paced = async () => {
    await send()
    await Bun.sleep(25)
  }
  for (let warm = 0; warm < 50; warm++) await paced()
  const before = cpuOf(serving.child.pid)
  for (let sent = 0; sent < count; sent++) await paced()
  return (cpuOf(serving.child.pid) - before) / count / 1000
}

/** `agents`: MCP with foreign programs, and its costs on a server. */
export const agents = async (): Promise<boolean> => {
  const home = mkdtempSync(join(tmpdir(), "findable-agents-"))
  const folders = { new: join(home, "new"), old: join(home, "old") }
  let failures = 0
  const tell = (what: string, isWell: boolean, details = "") => {
    if (!isWell) failures++
    console.log(`${isWell ? "well " : "wrong"} ${what}${isWell || details === "" ? "" : `\n${details}`}`)
  }
  for (const name of ["new", "old"] as const) {
    mkdirSync(folders[name])
    writeFileSync(join(folders[name], "package.json"), JSON.stringify({ dependencies: packages[name], type: "module" }))
    const { code, text } = await run(folders[name], ["npm", "install", "--no-audit", "--no-fund"])
    if (code !== 0) throw new Error(text)
  }
  const database = await postgres()
  const serving = await node({ DATABASE_URL: database.url(), FINDABLE_CHILD_NICENESS: "0" })
  const { key } = await insider(database)
  await serving.ask("POST", "/api/v1/projects", { body: { url: "https://example.com" }, key })
  const list = () => serving.ask("GET", "/api/v1/projects?limit=25", { key })
  const tool = () =>
    serving.ask("POST", "/mcp", {
      body: { id: 1, jsonrpc: "2.0", method: "tools/call", params: { arguments: {}, name: "list_sites" } },
      headers: { accept: "application/json, text/event-stream" },
      key
    })
  await list()
  const resident = await residentOf(serving.child.pid)
  await tool()
  const asked = await residentOf(serving.child.pid)
  console.log(`resident: ${resident.toFixed(0)} MiB never asked, ${asked.toFixed(0)} MiB after the first call`)
  await Bun.sleep(1000)
  const [plain, called] = [await costOf(serving, 200, list), await costOf(serving, 200, tool)]
  console.log(`CPU: ${plain.toFixed(2)} ms a list of projects over the API, ${called.toFixed(2)} ms list_sites`)

  const door = keyed(serving.base, key)
  const url = `${door.url.href}mcp`
  for (const [name, more] of [
    ["old", []],
    ["new", ["--requirements", "2026-07-28"]]
  ] as const) {
    const suite = join(folders[name], "node_modules/@modelcontextprotocol/conformance/dist/index.js")
    const { text } = await run(folders[name], [process.execPath, suite, "server", "--url", url, ...more])
    const scenarios = Array.from(text.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm))
    tell(
      `${packages[name]["@modelcontextprotocol/conformance"]}: ${scenarios.length} scenarios`,
      scenarios.length > 20,
      text
    )
    for (const [, scenario = "", passed, failed] of scenarios) {
      const [, why, checks] = leftOut.find(([pattern]) => pattern.test(scenario)) ?? []
      if (failed === "0") tell(`${scenario}: ${passed} checks`, true)
      else if (why === undefined || (checks !== undefined && checks !== Number(failed)))
        tell(`${scenario}: ${failed} of its checks fail`, false)
      else console.log(`left out ${scenario}: ${failed} checks, ${passed} well (${why})`)
    }
  }

  const header = `{ requestInit: { headers: { authorization: "Bearer ${key}" } } }`
  const cli = resolve(import.meta.dir, "../../src/cli.ts")
  const stdio = `new StdioClientTransport({ command: ${JSON.stringify(process.execPath)}, args: [${JSON.stringify(cli)}, "mcp", "--url", "${serving.base}"], env: { ...process.env, FINDABLE_API_KEY: "${key}" } })`
  const old = `import { Client } from "@modelcontextprotocol/sdk/client/index.js"`
  const programs = [
    [
      "old",
      "client 1.32 over HTTP",
      clientOf(
        `${old}
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"`,
        `new StreamableHTTPClientTransport(new URL("${serving.base}/mcp"), ${header})`
      )
    ],
    [
      "old",
      "client 1.32 over findable mcp",
      clientOf(
        `${old}
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"`,
        stdio
      )
    ],
    [
      "new",
      "client 2.4 over HTTP",
      clientOf(
        `import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"`,
        `new StreamableHTTPClientTransport(new URL("${serving.base}/mcp"), ${header})`
      )
    ],
    [
      "new",
      "client 2.4 over findable mcp",
      clientOf(
        `import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"`,
        stdio
      )
    ]
  ] as const
  for (const [name, what, text] of programs) {
    writeFileSync(join(folders[name], "client.mjs"), text)
    const { stdout, text: said } = await run(folders[name], ["node", "client.mjs"])
    tell(what, stdout.trim() === expected, said)
  }
  const inspected = await run(folders.old, [
    "npx",
    "mcp-inspector",
    "--cli",
    `${serving.base}/mcp`,
    "--transport",
    "http",
    "--header",
    `Authorization: Bearer ${key}`,
    "--method",
    "tools/list"
  ])
  tell("Inspector's command line", inspected.stdout.includes("evaluate_experiment"), inspected.text)

  const { countTokens } = await import(join(folders.new, "node_modules/gpt-tokenizer/esm/encoding/o200k_base.js"))
  const { body: listed } = await serving.ask("POST", "/mcp", {
    body: { id: 1, jsonrpc: "2.0", method: "tools/list" },
    headers: { accept: "application/json, text/event-stream" },
    key
  })
  const tokens: number = countTokens(JSON.stringify(listed.result.tools))
  tell(`the list of tools has ${tokens} tokens (o200k), 2,000 at most`, tokens <= 2000)
  tell("an agent's loop", await agentLoop(serving, key, home, async (text) => countTokens(text)))

  door.stop(true)
  await serving.end("SIGTERM")
  await database.remove()
  rmSync(home, { recursive: true })
  return failures === 0
}
