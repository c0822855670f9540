import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { shortLived } from "../../src/foundation/terminal/ShortLived.ts"
import * as Cluster from "../cluster.ts"
import { suite } from "../harness.ts"
import { type Consumer, makeConsumer, node, root, run, started } from "./consumer.ts"

let consumer: Consumer
/** The compiler's verdict; it works beside the programs. */
let compiled: ReturnType<typeof started>

const examples = join(root, "test/examples")
const names = readdirSync(examples)

const program = `
import { Api, ended, make, records } from "findable/api"
import { crawl } from "findable/crawl"
import { rows } from "findable/rankings"
import { analyse, ArmMetrics } from "findable/statistics"
import { sign, verify } from "findable/webhooks"
import * as HttpApi from "@effect/platform/HttpApi"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const asked = Effect.gen(function* () {
  const client = yield* make({ baseUrl: process.argv[2] ?? "", key: "fnd_test_x" })
  const project = yield* client.projects.create({ body: { url: "https://example.com" } })
  const hosts = yield* Stream.runCollect(records((start) => client.projects.list({ query: { limit: 1, ...start } })))
  const run = yield* client.siteHealth.start({ idempotencyKey: "one-run-only", path: { project_id: project.data.id } })
  const { data } = yield* ended(client, run.data.id)
  return [project.status, hosts.length, run.status, data.result?.score.aggregate_score ?? null]
})
const refused = await Effect.runPromise(Effect.flip(asked).pipe(Effect.provide(FetchHttpClient.layer)))

const metrics = { preImpressions: 1000, postImpressions: 1000, preConversions: 10, postConversions: 10 }
const counts = Schema.decodeSync(ArmMetrics)
const analysis = analyse(counts(metrics), counts({ ...metrics, postConversions: 40 }))
const endpoints: Array<string> = []
HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => { endpoints.push(endpoint.path) } })
console.log(JSON.stringify({ crawl: typeof crawl, endpoints: endpoints.length > 20, rows: typeof rows, significant: analysis.isSignificant, sign: typeof sign, verify: typeof verify, refused: refused._tag === "ApiError" ? refused.code : refused._tag }))
`

const answer = {
  crawl: "function",
  endpoints: true,
  refused: "unauthorized",
  rows: "function",
  sign: "function",
  significant: true,
  verify: "function"
}

const strict = {
  compilerOptions: {
    exactOptionalPropertyTypes: true,
    lib: ["ESNext", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    noEmit: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    strict: true,
    target: "ES2022",
    types: ["bun-types"]
  },
  files: ["program.ts", ...names]
}

/** The file behind a subpath. */
const dist = (name: string): string =>
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports[`./${name}`].default

const javascript = (text: string) => new Bun.Transpiler({ loader: "ts" }).transformSync(text)

/** The last line that a program printed, which is JSON where it went well. */
const said = ({ code, text }: { readonly code: number; readonly text: string }): unknown =>
  code === 0 ? JSON.parse(text.trim().split("\n").at(-1) ?? "") : text

const local = {
  FINDABLE_ALLOW_PRIVATE_NETWORKS: "127.0.0.0/8",
  FINDABLE_MASTER_KEY: Buffer.alloc(32, 7).toString("base64")
}

beforeAll(() => {
  consumer = makeConsumer()
  consumer.write("program.ts", program)
  consumer.write("program.js", javascript(program))
  for (const name of names) {
    const text = readFileSync(join(examples, name), "utf8")
    consumer.write(name, text)
    consumer.write(name.replace(/ts$/, "js"), javascript(text))
  }
  consumer.write("tsconfig.json", JSON.stringify(strict))
  compiled = started([process.execPath, join(root, "node_modules/.bin/tsc"), "-p", "."], consumer.place)
}, 240_000)
afterAll(() => consumer.remove())

describe.skipIf(node === null)("the package, packed and put into somebody's folder", () => {
  test("holds what is built and the migrations, and no sources", () => {
    expect(consumer.packed.filter((name) => /^package\/(src|test|node_modules)\//.test(name))).toEqual([])
    expect(consumer.packed).toContain("package/sql/0001_accounts.sql")
  })

  test("is imported by Node and by Bun, where its client asks a server, and brings its command", async () => {
    const { place } = consumer
    const error = { code: "unauthorized", message: "The key is unknown", request_id: "req_1" }
    const server = Bun.serve({ fetch: () => Response.json({ error }, { status: 401 }), hostname: "127.0.0.1", port: 0 })
    for (const runtime of [node ?? "", process.execPath]) {
      expect(said(await started([runtime, "program.js", server.url.href], place))).toEqual(answer)
    }
    await server.stop(true)
    const command = run([node ?? "", join(place, "node_modules/findable/dist/bin.js"), "--version"], place)
    expect({ ...command, text: command.text.trim() }).toEqual({ code: 0, text: "0.1.0" })
  })

  test("brings its command as bytecode, and has Bun compile as suits a process that lives for seconds", () => {
    const { place } = consumer
    const telling = { BUN_JSC_dumpOptions: "1", BUN_JSC_verboseDiskCache: "1" }
    const { text } = run([node ?? "", join(place, "node_modules/findable/dist/bin.js"), "--version"], place, telling)
    expect(text).toContain("Cache hit for sourceCode")
    for (const [name, value] of Object.entries(shortLived)) {
      expect(text).toContain(`${name.replace("BUN_JSC_", "")}=${value}`)
    }
  })

  test("brings clients the contract without the crawler, and browsers nothing of a server's platform", async () => {
    const bundled = async (name: string) => {
      const entry = join(consumer.place, "node_modules/findable", dist(name))
      const external = ["effect/*", "@effect/*"]
      const { metafile, outputs } = await Bun.build({
        entrypoints: [entry],
        external,
        metafile: true,
        minify: true,
        target: "browser"
      })
      const text = (await outputs[0]?.text()) ?? ""
      const needs = [...text.matchAll(/from\s*"([^"]+)"/g)].map(([, to = ""]) => to)
      const foreign = needs.filter((to) => !/^@?effect\//.test(to) || /platform-|sql/.test(to))
      return { foreign, kilobytes: text.length / 1024, modules: Object.keys(metafile?.inputs ?? {}).length }
    }
    const api = await bundled("api")
    expect(api.foreign).toEqual([])
    expect(api.modules).toBeWithin(80, 150)
    expect(api.kilobytes).toBeLessThan(160)
    const webhooks = await bundled("webhooks")
    expect(webhooks).toMatchObject({ foreign: [], modules: 2 })
    expect((await bundled("statistics")).foreign).toEqual([])
  })

  test("crawls a staging site in Node with a program's own rule, name, limits and client", async () => {
    const agents = new Set<string | null>()
    const page = (title: string) =>
      `<!doctype html><meta charset=utf-8><title>${title}</title><a href="/a">a</a><a href="/b">b</a>`
    const staging = Bun.serve({
      fetch: ({ headers, url }) => {
        agents.add(headers.get("user-agent"))
        if (headers.get("authorization") !== `Basic ${btoa("shop:secret")}`) return new Response("", { status: 401 })
        const { pathname } = new URL(url)
        const title = { "/": "Home – Shop", "/a": "Shoes – Shop", "/b": "Boots" }[pathname]
        return title === undefined
          ? new Response("", { status: 404 })
          : new Response(page(title), { headers: { "content-type": "text/html" } })
      },
      hostname: "127.0.0.1",
      port: 0
    })
    const start = staging.url.href
    const crawled = said(await started([node ?? "", "crawl.js", start, "shop:secret"], consumer.place, local))
    await staging.stop(true)
    expect(crawled).toMatchObject({ failing: [`${start}b`], pages: 3, summary: "complete" })
    expect([...agents]).toEqual(["ShopBot/1.0 (+https://shop.example/bot)"])
  })
})

const it = suite(Cluster.layer)

const withDatabase = (name: string) =>
  Effect.flatMap(Cluster.databaseUrl, (DATABASE_URL) =>
    Effect.promise(() =>
      started([process.execPath, name], consumer.place, { ...local, DATABASE_URL, FINDABLE_LOG_LEVEL: "error" })
    )
  )

describe.skipIf(node === null)("the command of the packed package", () => {
  it.effect("finds the package's migrations from its one file", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Cluster.databaseUrl
      const words = [node ?? "", join(consumer.place, "node_modules/findable/dist/bin.js"), "migrate", "--json"]
      const ended = yield* Effect.promise(() => started(words, consumer.place, { ...local, DATABASE_URL }))
      expect(said(ended)).toEqual({ applied: [] })
    })
  )
})

describe.skipIf(node === null)("programs that embed the packed package", () => {
  it.effect("read Search Console files and import them", () =>
    Effect.gen(function* () {
      expect(said(yield* withDatabase("rankings.js"))).toMatchObject({ again: 0, seen: 2 })
    })
  )

  it.effect("publish events in transactions of their own, which are delivered once these are committed", () =>
    Effect.gen(function* () {
      const told = said(yield* withDatabase("events.js"))
      expect(told).toEqual({ isWhole: true, refused: "Left", valid: [true, true] })
    })
  )

  it.effect("serve the API below a prefix for their own callers, beside their own pages", () =>
    Effect.gen(function* () {
      const DATABASE_URL = yield* Cluster.databaseUrl
      yield* Effect.promise(async () => {
        const env = { ...process.env, ...local, DATABASE_URL, PORT: "0" }
        const server = Bun.spawn([process.execPath, "server.js"], { cwd: consumer.place, env, stdout: "pipe" })
        try {
          let text = ""
          for await (const piece of server.stdout) {
            text += new TextDecoder().decode(piece)
            if (/http:\/\/\S+:\d+/.test(text)) break
          }
          const base = /http:\/\/[^\s"]+:\d+/.exec(text)?.[0] ?? text
          const ask = (path: string, cookie = "") => fetch(`${base}${path}`, { headers: { cookie } })
          expect(await (await ask("/")).text()).toBe("The agency")
          expect((await ask("/search/api/v1/projects")).status).toBe(401)
          const listed = await ask("/search/api/v1/projects", "session=known")
          expect(await listed.json()).toMatchObject({ data: [], links: { self: `${base}/search/api/v1/projects` } })
          const made = await fetch(`${base}/search/api/v1/projects`, {
            body: '{"url":"https://shop.example"}',
            headers: { "content-type": "application/json", cookie: "session=known" },
            method: "POST"
          })
          expect([made.status, made.headers.get("location")?.startsWith("/search/api/v1/projects/")]).toEqual([
            201,
            true
          ])
        } finally {
          server.kill("SIGTERM")
          await server.exited
        }
      })
    })
  )
})

/** All that a declaration of the package leads to: other packages, by their names. */
const leadsTo = (place: string, entry: string): ReadonlySet<string> => {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const read = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const [, to = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g)) {
      if (!to.startsWith(".")) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to)
      else read(join(file, "..", to.replace(/\.js$/, ".d.ts")))
    }
  }
  read(join(place, "node_modules/findable/dist", entry))
  return packages
}

describe.skipIf(node === null)("the declarations of the package", () => {
  test("lead who needs the contract, the crawler, signatures or statistics to Effect's packages without a database", () => {
    for (const entry of [
      "app/exports/api",
      "app/exports/crawl",
      "features/webhooks/signature/Signature",
      "features/experiments/statistics/Statistics"
    ])
      expect(
        [...leadsTo(consumer.place, `${entry}.d.ts`)].filter((name) => !["effect", "@effect/platform"].includes(name))
      ).toEqual([])
  })

  test("have nothing wrong in them for a strict consumer, and neither have the examples", async () => {
    const { text } = await compiled
    // Declarations of the platform's Bun server name types that newer Bun types no longer have.
    const ours = text.split("\n").filter((line) => line !== "" && !/@effect\/platform-bun\/dist\/dts\//.test(line))
    expect(ours).toEqual([])
  })
})
