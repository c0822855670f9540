import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Glob } from "bun"
import { nodeHeader } from "../../proxy.ts"
import type { Reply } from "../../server.ts"
import { strict } from "./strict.ts"

const expecting = `
const expect = (what: string, isSo: boolean) => { if (!isSo) throw new Error(what) }
`

/** Client generators, each with a program that uses the generated client: null without a preparation. */
export const clients = (base: string, key: string) => [
  {
    generate: ["npx", "openapi-typescript", "openapi.json", "-o", "openapi-typescript.d.ts"],
    name: "openapi-typescript",
    program: `
import createClient from "openapi-fetch"
import type { paths } from "./openapi-typescript.js"
${expecting}
const client = createClient<paths>({ baseUrl: "${base}", headers: { Authorization: "Bearer ${key}" } })
const made = await client.POST("/api/v1/projects", { body: { url: "https://openapi-fetch.example" } })
expect("made", made.response.status === 201 && made.data?.data.host === "openapi-fetch.example")
const listed = await client.GET("/api/v1/projects", { params: { query: { limit: 5 } } })
expect("listed", (listed.data?.data.length ?? 0) > 0 && typeof listed.data?.meta.has_next === "boolean")
const missing = await client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: crypto.randomUUID() } } })
expect("missing", missing.error?.error.code === "not_found")
`
  },
  {
    generate: ["npx", "orval", "--input", "openapi.json", "--output", "orval.ts", "--client", "fetch"],
    name: "orval",
    program: `
import { projectsCreate, projectsList } from "./orval"
${expecting}
const send = globalThis.fetch
globalThis.fetch = ((path: string, init?: RequestInit) => send("${base}" + path, init)) as typeof fetch
const headers = { Authorization: "Bearer ${key}" }
const made = await projectsCreate({ url: "https://orval.example" }, { headers })
expect("made", made.status === 201 && made.data.data.host === "orval.example")
const listed = await projectsList({ limit: 5 }, { headers })
expect("listed", listed.status === 200 && listed.data.data.length > 0)
const refused = await projectsList({ limit: 5 })
expect("refused", refused.status === 401 && refused.data.error.code === "unauthorized")
`
  },
  {
    generate: ["npx", "openapi-ts", "--input", "openapi.json", "--output", "hey-api"],
    name: "hey-api",
    program: `
import { client } from "./hey-api/client.gen"
import { projectsCreate, projectsList } from "./hey-api/sdk.gen"
${expecting}
client.setConfig({ auth: "${key}", baseUrl: "${base}" })
const made = await projectsCreate({ body: { url: "https://hey-api.example" } })
expect("made", made.response?.status === 201 && made.data?.data.host === "hey-api.example")
const listed = await projectsList({ query: { limit: 5 } })
expect("listed", (listed.data?.data.length ?? 0) > 0)
client.setConfig({ auth: "" })
const refused = await projectsList()
expect("refused", refused.error?.error.code === "unauthorized")
`
  }
]

/** One request of the walk: the response, and the errors of a proxy that compares it with the document. */
export interface Step {
  readonly step: string
  readonly answer: string
  readonly violations: string
}

const site = (pathname: string) =>
  pathname === "/dead" || pathname === "/robots.txt"
    ? new Response("<title>gone</title>", { headers: { "content-type": "text/html" }, status: 404 })
    : new Response(`<title>${pathname}</title><h1>a page</h1><a href="/a">a</a><a href="/dead">dead</a>`, {
        headers: { "content-type": "text/html" }
      })

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

/**
 * Every operation of the contract that can succeed, and the refusals that callers meet, one after the other. `POST /audits` is left out: instead of
 * forwarding a 501 the proxy invents a response.
 */
export const walk = async (base: string, key: string): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  const local = Bun.serve({
    fetch: ({ method, url }) => (method === "POST" ? new Response("thanks") : site(new URL(url).pathname)),
    hostname: "127.0.0.1",
    port: 0
  })
  const ask = async (
    status: number,
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {}
  ): Promise<Reply["body"]> => {
    const isFile = body instanceof Uint8Array
    const response = await fetch(`${base}${path}`, {
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": isFile ? "application/octet-stream" : "application/json" }),
        ...more
      },
      method,
      ...(body === undefined ? {} : { body: isFile ? Buffer.from(body) : JSON.stringify(body) })
    })
    const said = await response.text()
    const answer = /\/(?:problem\+)?json/.test(response.headers.get("content-type") ?? "")
      ? JSON.parse(said || "null")
      : said
    const isProxy =
      typeof answer === "object" && answer !== null && "type" in answer && /stoplight/.test(text(answer.type))
    const wrong = isProxy ? said : (response.headers.get("sl-violations") ?? "")
    const violations =
      response.status === status ? wrong : `${response.status} instead of ${status}: ${said.slice(0, 1500)}`
    steps.push({ answer: `${response.status}`, step: `${method} ${path}`, violations })
    return answer
  }
  const v1 = "/api/v1"
  try {
    for (const path of [
      "/healthz",
      "/readyz",
      "/metrics",
      `${v1}/openapi.json`,
      `${v1}/key`,
      `${v1}/rules`,
      `${v1}/event-types`
    ])
      await ask(200, "GET", path)

    const { data: project } = await ask(201, "POST", `${v1}/projects`, { url: local.url.origin })
    await ask(200, "POST", `${v1}/projects`, { name: "again", url: local.url.origin })
    await ask(200, "GET", `${v1}/projects?limit=1`)
    const own = `${v1}/projects/${project.id}`
    await ask(200, "GET", own)
    await ask(200, "PATCH", own, { brand_terms: ["acme"], name: "Acme" })
    await ask(200, "GET", `${own}/site-health/latest`)

    const webhook = { description: "ours", events: ["audit.completed"], url: `${local.url.origin}/hook` }
    const { data: hook } = await ask(201, "POST", `${v1}/webhooks`, webhook, { "idempotency-key": crypto.randomUUID() })
    const hooks = `${v1}/webhooks/${hook.id}`
    await ask(200, "GET", `${v1}/webhooks`)
    await ask(200, "GET", hooks)
    await ask(200, "PATCH", hooks, { description: null })
    await ask(200, "POST", `${hooks}/ping`, { verify_rejection: true })
    await ask(200, "POST", `${hooks}/rotate-secret`)

    const once = { "idempotency-key": crypto.randomUUID() }
    const runs = `${own}/site-health/runs`
    const { data: started } = await ask(202, "POST", runs, { max_pages: 5 }, once)
    await ask(200, "POST", runs, { max_pages: 5 }, once)
    await ask(409, "POST", runs, { max_pages: 6 }, once)
    const run = `${v1}/runs/${started.id}`
    await ask(200, "GET", run, undefined, { prefer: "wait=20" })
    for (const path of ["?include=result", "/pages", "/findings?status=fail", "/fixes"])
      await ask(200, "GET", `${run}${path}`)
    await ask(200, "GET", `${run}/pages`, undefined, { accept: "text/csv" })
    await ask(200, "GET", `${run}/findings`, undefined, { accept: "application/x-ndjson" })
    await ask(409, "POST", `${run}/cancel`)
    const { data: verified } = await ask(202, "POST", `${run}/verify`, {})
    await ask(200, "GET", `${v1}/runs/${verified.id}?include=result`, undefined, { prefer: "wait=20" })
    const { data: second } = await ask(202, "POST", runs)
    await ask(200, "GET", `${v1}/runs/${second.id}`, undefined, { prefer: "wait=20" })
    await ask(200, "GET", `${v1}/runs/${second.id}/diff`)
    await ask(200, "GET", `${runs}?limit=1`)
    await ask(200, "GET", `${own}/site-health/latest`)

    const { data: schedule } = await ask(201, "POST", `${own}/site-health/schedules`, { every: "1d" })
    await ask(200, "GET", `${own}/site-health/schedules`)
    await ask(200, "GET", `${own}/site-health/schedules/${schedule.id}`)
    await ask(200, "PATCH", `${own}/site-health/schedules/${schedule.id}`, { every: "2d" })
    await ask(204, "DELETE", `${own}/site-health/schedules/${schedule.id}`)

    const csv = `Date,Query,Page,Clicks,Impressions,Position\n2026-11-01,shoes,${local.url.origin}/a,1,20,3\n`
    const file = new TextEncoder().encode(csv)
    const { data: imported } = await ask(202, "POST", `${own}/rankings/imports?format=gsc-csv`, file)
    await ask(200, "GET", `${own}/rankings/imports`)
    for (let status = "queued"; status === "queued" || status === "running"; await Bun.sleep(100)) {
      status = (await ask(200, "GET", `${own}/rankings/imports/${imported.id}`)).data.status
    }
    const { data: keywords } = await ask(200, "GET", `${v1}/keywords?site_id=${project.id}&status=new`)
    await ask(200, "GET", `${v1}/keywords/${keywords[0]?.id}`)
    await ask(200, "GET", `${v1}/keywords/${keywords[0]?.id}/series`)
    for (const by of ["date", "page", "query"]) await ask(200, "GET", `${own}/performance?by=${by}`)
    await ask(200, "GET", `${own}/cannibalisation`)
    await ask(404, "GET", `${own}/rankings/source`)

    await ask(200, "GET", `${v1}/audits`)
    await ask(404, "GET", `${v1}/audits/${crypto.randomUUID()}`)
    const { data: audits } = await ask(201, "POST", `${v1}/audit-schedules`, {
      every: "1d",
      url: "https://example.com"
    })
    await ask(200, "GET", `${v1}/audit-schedules`)
    await ask(200, "GET", `${v1}/audit-schedules/${audits.id}`)
    await ask(200, "PATCH", `${v1}/audit-schedules/${audits.id}`, { every: "2d" })
    await ask(204, "DELETE", `${v1}/audit-schedules/${audits.id}`)

    const { data: growth } = await ask(201, "POST", `${v1}/growth-projects`, { domain: "example.com" })
    await ask(200, "GET", `${v1}/growth-projects`)
    await ask(200, "GET", `${v1}/growth-projects/${growth.id}`)
    const experiment = { name: "Titles", project_id: growth.id }
    const { data: made } = await ask(201, "POST", `${v1}/experiments`, experiment)
    await ask(200, "GET", `${v1}/experiments?status=draft`)
    await ask(200, "GET", `${v1}/experiments/${made.id}`)
    await ask(200, "POST", `${v1}/experiments/${made.id}/start`)
    const arm = { postConversions: 60, postImpressions: 1000, preConversions: 40, preImpressions: 1000 }
    const metrics = { controlMetrics: { ...arm, postConversions: 41 }, treatmentMetrics: arm }
    await ask(200, "POST", `${v1}/experiments/${made.id}/evaluate`, metrics)
    await ask(409, "POST", `${v1}/experiments/${made.id}/evaluate`, metrics)

    const { data: events } = await ask(200, "GET", `${v1}/events?type=audit.completed`)
    await ask(200, "GET", `${v1}/events/${events[0]?.id}`)
    const { data: deliveries } = await ask(200, "GET", `${hooks}/deliveries`)
    await ask(200, "GET", `${hooks}/deliveries/${deliveries[0]?.id}`)
    await ask(202, "POST", `${hooks}/deliveries/${deliveries[0]?.id}/redeliver`)
    await ask(202, "POST", `${hooks}/recover`, { since: "2026-11-01T00:00:00Z" })
    await ask(204, "DELETE", hooks)
    await ask(404, "GET", hooks)
    await ask(401, "GET", `${v1}/projects`, undefined, { authorization: "Bearer fnd_live_unknown" })
    await ask(401, "GET", `${v1}/runs/${started.id}`, undefined, { authorization: "Bearer fnd_live_unknown" })
  } finally {
    await local.stop(true)
  }
  return steps
}

// `bun run campaign foreign [FOLDER]`: applies foreign tools to the document of a running server. A proxy compares every response with the document (while
// all operations are called, and every test that calls a server runs), and three generators make clients, which are compiled strictly and call the server.
// npm installs the tools into the folder (by default a new one).

const root = resolve(import.meta.dir, "../../..")

const folder = resolve(process.argv[2] ?? mkdtempSync(join(tmpdir(), "findable-foreign-")))

const data = mkdtempSync(join(tmpdir(), "findable-foreign-data-"))

const tools = {
  "@hey-api/openapi-ts": "0.95.0",
  "@stoplight/prism-cli": "5.14.2",
  "openapi-fetch": "0.17.0",
  "openapi-typescript": "7.13.0",
  orval: "7.13.2",
  typescript: "5.9.3"
}

// The database's own user must be able to read it.
chmodSync(data, 0o755)

let failures = 0

const tell = (what: string, isWell: boolean, details = "") => {
  if (!isWell) failures++
  console.log(`${isWell ? "well " : "wrong"} ${what}${isWell || details === "" ? "" : `\n${details}`}`)
}

const quiet = { NO_COLOR: "1" }

const run = (...words: ReadonlyArray<string>) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...words], {
    cwd: folder,
    env: { ...process.env, ...quiet },
    stderr: "pipe",
    stdout: "pipe"
  })
  return { isWell: exitCode === 0, text: `${stdout}${stderr}` }
}

/** Waits until a process prints a text; reads and drops the rest. */
const waitFor = async (said: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> => {
  const reader = said.getReader()
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  }
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(text)
    text += new TextDecoder().decode(value)
    const found = pattern.exec(text)
    if (found === null) continue
    void rest()
    return found[1] ?? ""
  }
}

const children: Array<Bun.Subprocess> = []

const start = (words: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) => {
  const child = Bun.spawn([...words], {
    cwd,
    env: { ...process.env, ...quiet, ...env },
    stderr: "inherit",
    stdout: "pipe"
  })
  children.push(child)
  return child.stdout
}

/** Starts the proxy in front of a server; it returns an error for every request and response that the document does not allow. */
const proxied = (upstream: string) =>
  waitFor(
    start(
      ["node", "node_modules/.bin/prism", "proxy", "openapi.json", upstream, "--errors", "--cors=false", "--port", "0"],
      folder,
      {}
    ),
    /listening on (http:\S+)/
  )

/** Forwards the proxy's requests to the server in a header: the tests start many servers, and the proxy has one upstream. */
const relay = () => {
  let passed = 0
  const server = Bun.serve({
    fetch: (request) => {
      passed++
      const { pathname, search } = new URL(request.url)
      const to = new URL(`${pathname}${search}`, request.headers.get(nodeHeader) ?? "")
      const headers = new Headers(request.headers)
      // Links in responses contain the host of the request.
      headers.set("host", to.host)
      return fetch(to, { body: request.body, decompress: false, headers, method: request.method, redirect: "manual" })
    },
    hostname: "127.0.0.1",
    port: 0
  })
  return { passed: () => passed, server }
}

/** The test files that send requests over HTTP. */
const asking = () =>
  [...new Glob("test/**/*.test.ts").scanSync(root)]
    .filter((path) => /(?:server|node)\.ts"[\s\S]*\b(?:send|ask)\(/.test(readFileSync(join(root, path), "utf8")))
    .sort()

mkdirSync(folder, { recursive: true })

try {
  if (!existsSync(join(folder, "node_modules/typescript"))) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: tools, private: true, type: "module" }))
    const installed = run("npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
    if (!installed.isWell) throw new Error(installed.text)
  }
  const server = start([process.execPath, "src/main.ts"], root, {
    FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
    FINDABLE_DATA_DIR: data,
    FINDABLE_FIRST_KEY_FILE: join(data, "first-key"),
    FINDABLE_PORT: "0"
  })
  const base = await waitFor(server, /runs at (http:\S+)/)
  const key = readFileSync(join(data, "first-key"), "utf8").trim()
  writeFileSync(join(folder, "openapi.json"), await (await fetch(`${base}/api/v1/openapi.json`)).text())

  for (const { answer, step, violations } of await walk(await proxied(base), key))
    tell(`Prism: ${step}`, violations === "", `${answer} ${violations}`)

  const { passed, server: upstream } = relay()
  const whole = Bun.spawn([process.execPath, "test", "--timeout", "120000", "--no-isolate", ...asking()], {
    cwd: root,
    env: { ...process.env, ...quiet, FINDABLE_TEST_PROXY: await proxied(upstream.url.origin) },
    stderr: "pipe",
    stdout: "ignore"
  })
  const told = await new Response(whole.stderr).text()
  tell("Prism: the tests that ask a server", (await whole.exited) === 0 && passed() > 0, told)
  console.log(`     ${passed()} requests came through it`)
  await upstream.stop(true)

  for (const { generate, name, program } of clients(base, key)) {
    const generated = generate === null ? { isWell: true, text: "" } : run(...generate)
    if (!generated.isWell) {
      tell(`${name}: generates`, false, generated.text)
      continue
    }
    writeFileSync(join(folder, `${name}.smoke.ts`), program)
    writeFileSync(join(folder, `tsconfig.${name}.json`), JSON.stringify({ ...strict, files: [`${name}.smoke.ts`] }))
    const compiled = run("npx", "tsc", "-p", `tsconfig.${name}.json`)
    tell(`${name}: compiles strictly`, compiled.isWell, compiled.text)
    const smoked = run(process.execPath, `${name}.smoke.ts`)
    tell(`${name}: creates, lists and is refused as its types say`, smoked.isWell, smoked.text)
  }
} finally {
  for (const child of children) child.kill("SIGTERM")
  await Promise.all(children.map(({ exited }) => exited))
  rmSync(data, { force: true, recursive: true })
}

console.log(failures === 0 ? `nothing is wrong (${folder})` : `${failures} wrong (${folder})`)

process.exit(failures === 0 ? 0 : 1)
