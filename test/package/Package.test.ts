import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { shortLived } from "../../src/foundation/terminal/ShortLived.ts"
import * as cluster from "../cluster.ts"
import { suite } from "../harness.ts"
import { children } from "./bundle.ts"
import { type Consumer, makeConsumer, node, root, run, started } from "./consumer.ts"
import { contained } from "./contained.ts"
import { embedding, local, said } from "./embedding.ts"
import { served, withoutBun } from "./served.ts"
import { answer, isKnownGap, program, strictly } from "./strict.ts"

let consumer: Consumer
/** The compiler's result; it runs beside the programs. */
let compiled: ReturnType<typeof started>

const examples = join(root, "test/examples")
const names = readdirSync(examples).filter((name) => name.endsWith(".ts"))

/** The file of a subpath. */
const dist = (name: string): string =>
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports[`./${name}`].default

const javascript = (text: string) => new Bun.Transpiler({ loader: "ts" }).transformSync(text)

/** The link targets of a packed guide within the package. */
const leadsOf = (text: string, guide: string) =>
  [...text.replace(/```[\s\S]*?```/g, "").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = ""]) => to.split("#")[0] ?? "")
    .filter((to) => to !== "" && !/^(https?|mailto):/.test(to))
    .map((to) => join(dirname(guide), to).replace(/\/$/, ""))

beforeAll(async () => {
  consumer = await makeConsumer()
  consumer.write("program.ts", program)
  consumer.write("program.js", javascript(program))
  for (const name of names) {
    const text = readFileSync(join(examples, name), "utf8")
    consumer.write(name, text)
    consumer.write(name.replace(/ts$/, "js"), javascript(text))
  }
  consumer.write("tsconfig.json", JSON.stringify(strictly(["program.ts", ...names])))
  compiled = started(
    [process.execPath, join(root, "node_modules/.bin/tsc"), "-p", ".", "--singleThreaded"],
    consumer.place
  )
}, 600_000)
afterAll(() => consumer.remove())

describe.skipIf(node === null)("the package, packed and installed in a folder", () => {
  test("contains the build, the migrations, the guides with their pictures and files for deployment, and no sources", () => {
    expect(
      consumer.packed.filter((name) => /^package\/(test|node_modules)\/|^package\/src\/.*\.ts$/.test(name))
    ).toEqual([])
    const deployed = readdirSync(join(root, "src/app/node/deploy")).map((name) => `package/src/app/node/deploy/${name}`)
    expect(consumer.packed).toEqual(
      expect.arrayContaining(["package/sql/0001_installation.sql", "package/src/guides/how-to/deploy.md", ...deployed])
    )
    // The package for endpoints is built with it, and is another one.
    const { name, version } = JSON.parse(readFileSync(join(consumer.sdk, "package.json"), "utf8"))
    expect({ name, version }).toEqual({ name: "@findable/sdk", version: "0.1.0" })
    expect(consumer.packed.filter((name) => name.startsWith("package/dist/sdk/"))).toEqual([])
  })

  test("has a README with a start command for its users, and with links into the package only", () => {
    const readme = readFileSync(join(consumer.place, "node_modules/findable/README.md"), "utf8")
    const [, first] = /^```sh\n([^`]*)^```$/m.exec(readme) ?? []
    expect(first).toMatch(/^npx --no-install findable serve /m)
    const links = Array.from(readme.matchAll(/\]\(([^)\s]+)\)/g), ([, to = ""]) => to.split("#")[0] ?? "")
    const inside = links.filter((to) => !/^https?:/.test(to))
    expect(inside.length).toBeGreaterThan(10)
    expect(inside.filter((to) => !consumer.packed.includes(`package/${to}`))).toEqual([])
  })

  test("has guides with links into the package only", () => {
    const guides = consumer.packed.filter((name) => name.endsWith(".md"))
    expect(guides.length).toBeGreaterThan(20)
    const lacking = guides.flatMap((guide) => {
      const text = readFileSync(join(consumer.place, "node_modules/findable", guide.replace(/^package\//, "")), "utf8")
      return leadsOf(text, guide).filter(
        (to) => !consumer.packed.some((name) => name === to || name.startsWith(`${to}/`))
      )
    })
    expect(lacking).toEqual([])
  })

  test("is imported by Node.js and by Bun, where its client sends requests, and brings its command", async () => {
    const { place } = consumer
    const error = {
      code: "unauthorized",
      message: "Invalid API key: the server does not know it. Check that you copied all of it",
      request_id: "req_1"
    }
    const server = Bun.serve({ fetch: () => Response.json({ error }, { status: 401 }), hostname: "127.0.0.1", port: 0 })
    for (const runtime of [node ?? "", process.execPath]) {
      expect(said(await started([runtime, "program.js", server.url.href], place))).toEqual(answer)
    }
    await server.stop(true)
    const command = run([node ?? "", join(place, "node_modules/findable/dist/bin.js"), "--version"], place)
    expect({ ...command, text: command.text.trim() }).toEqual({ code: 0, text: "0.1.0" })
  })

  test("brings its command and the programs that it starts as bytecode, and runs Bun with the settings of a short process", () => {
    const { place } = consumer
    const telling = { BUN_JSC_dumpOptions: "1", BUN_JSC_verboseDiskCache: "1", MIMALLOC_VERBOSE: "1" }
    const { text } = run([node ?? "", join(place, "node_modules/findable/dist/bin.js"), "--version"], place, telling)
    expect(text).toContain("Cache hit for sourceCode")
    for (const child of children) {
      // Its input ends immediately, and so does the program.
      const started = run([process.execPath, join(place, "node_modules/findable/dist", `${child}.js`)], place, telling)
      expect(started.text).toContain("Cache hit for sourceCode")
    }
    const { MIMALLOC_PURGE_DELAY, ...compiling } = shortLived
    for (const [name, value] of Object.entries(compiling)) {
      expect(text).toContain(`${name.replace("BUN_JSC_", "")}=${value}`)
    }
    // The test command sets this option for its own processes, and the user's environment counts.
    expect(text).toContain(`option 'purge_delay': ${process.env.MIMALLOC_PURGE_DELAY ?? MIMALLOC_PURGE_DELAY} `)
  })

  test("gives clients the contract without the crawler, and browsers no module of a server", async () => {
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
    expect(api.modules).toBeWithin(80, 180)
    expect(api.kilobytes).toBeLessThan(325)
    const webhooks = await bundled("webhooks")
    expect(webhooks).toMatchObject({ foreign: [], modules: 2 })
    expect((await bundled("statistics")).foreign).toEqual([])
  })

  test("crawls a staging site in Node.js with a program's own check, name, limits and client", async () => {
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

const it = suite(cluster.layer)

describe.skipIf(node === null)("the command of the packed package", () => {
  it("finds the package's migrations from its single file", function* () {
    const DATABASE_URL = yield* cluster.databaseUrl
    const words = [node ?? "", join(consumer.place, "node_modules/findable/dist/bin.js"), "migrate", "--json"]
    const ended = yield* Effect.promise(() => started(words, consumer.place, { ...local, DATABASE_URL }))
    expect(said(ended)).toEqual({ applied: [] })
  })
})

served(() => consumer)
withoutBun(() => consumer)
contained(() => consumer)
embedding(() => consumer.place)

/** All packages that a declaration of the package leads to, by name. */
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

describe.skipIf(node === null)("the type declarations of the package", () => {
  test("name Effect's packages without a database to users of the contract, the crawler, signatures or statistics", () => {
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

  test("have no errors for a strict consumer, and neither have the examples", async () => {
    const { text } = await compiled
    const lines = text.split("\n").filter((line) => line !== "")
    expect(lines.filter((line) => !isKnownGap(line))).toEqual([])
  })
})
