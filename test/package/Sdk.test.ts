import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { suite } from "../harness.ts"
import { kept } from "../kept.ts"
import * as Server from "../server.ts"
import { node, root, run, started } from "./consumer.ts"
import { buildSdk } from "./sdk/build.ts"

const examples = join(root, "test/examples/sdk")
/** An empty folder with only the package installed. */
const place = mkdtempSync(join(tmpdir(), "findable-sdk-consumer-"))
let installed = { code: 1, text: "not installed" }

const strict = {
  compilerOptions: {
    exactOptionalPropertyTypes: true,
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    noEmit: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    strict: true,
    target: "ES2022",
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"]
  },
  include: ["*.ts", "*.cts"]
}

const compile = (config: object) => {
  writeFileSync(join(place, "tsconfig.json"), JSON.stringify(config))
  return run([process.execPath, join(root, "node_modules/.bin/tsc"), "-p", ".", "--singleThreaded"], place)
}

const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)

beforeAll(async () => {
  const folder = await kept("sdk", (folder) => buildSdk(root, folder))
  run([process.execPath, "pm", "pack", "--destination", place], folder)
  const tarball = readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "none"
  writeFileSync(join(place, "package.json"), '{"private":true,"type":"module"}')
  // Without a registry: the package has no dependencies.
  installed = run(["npm", "install", "--offline", "--no-audit", "--no-fund", `./${tarball}`], place)
  for (const name of readdirSync(examples)) {
    cpSync(join(examples, name), join(place, name))
    const text = new Bun.Transpiler({ loader: "ts" }).transformSync(readFileSync(join(examples, name), "utf8"))
    writeFileSync(join(place, name.replace(/ts$/, "js")), text)
  }
}, 300_000)
afterAll(() => rmSync(place, { force: true, recursive: true }))

describe.skipIf(node === null)("the package for endpoints and callers, installed in an empty folder", () => {
  test("has no dependencies and takes less than 5 MB", () => {
    expect(installed).toMatchObject({ code: 0 })
    expect(readdirSync(join(place, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["@findable"])
    expect(readdirSync(join(place, "node_modules/@findable"))).toEqual(["sdk"])
    expect(bytesOf(join(place, "node_modules"))).toBeWithin(10_000, 5_000_000)
  })

  test("has types that a strict compiler accepts, together with its examples", () => {
    expect(compile(strict)).toEqual({ code: 0, text: "" })
    const { compilerOptions } = strict
    const bundler = { ...compilerOptions, module: "ESNext", moduleResolution: "bundler", types: [] }
    expect(compile({ compilerOptions: bundler, files: ["route.ts"] })).toEqual({ code: 0, text: "" })
  })

  test("refuses calls that are not in the contract", () => {
    const wrong = join(place, "wrong.ts")
    writeFileSync(
      wrong,
      `import { createClient, isApiError } from "@findable/sdk"
const client = createClient({ baseUrl: "http://127.0.0.1", key: "x" })
client.projects.create({ body: { address: "https://example.com" } })
client.projects.get({})
client.projects.list({ query: { limits: 1 } })
client.projects.list().then(({ data }) => data[0]?.hosts)
client.projects.list().catch((error: unknown) => isApiError(error, client.projects.list) && error.code === "conflict")
`
    )
    const { text } = compile({ ...strict, include: ["wrong.ts"] })
    rmSync(wrong)
    expect([...text.matchAll(/^wrong\.ts\((\d+),/gm)].map(([, line]) => line)).toEqual(["3", "4", "5", "6", "7"])
  })

  test("exports the resources and the events by name", () => {
    writeFileSync(
      join(place, "names.ts"),
      'export type { Audit, AuditCompletedEvent, Experiment, KeywordRanking, Project, RankingDroppedEvent, SiteHealthRun, Webhook, WebhookEvent } from "@findable/sdk"\n'
    )
    const compiled = compile({ ...strict, include: ["names.ts"] })
    rmSync(join(place, "names.ts"))
    expect(compiled).toEqual({ code: 0, text: "" })
  })

  test("is imported by CommonJS programs", () => {
    for (const runtime of [node ?? "", process.execPath]) {
      const { code, text } = run([runtime, "common.cjs"], place)
      expect({ code, said: JSON.parse(text) }).toEqual({
        code: 0,
        said: { api: false, event: "webhook.ping", verify: "function" }
      })
    }
  })

  test("is a few kilobytes in a bundle for browsers and edge workers, without any runtime module", async () => {
    const { outputs, success } = await Bun.build({
      entrypoints: [join(place, "route.js")],
      minify: true,
      target: "browser"
    })
    const text = (await outputs[0]?.text()) ?? ""
    expect(success).toBe(true)
    expect(text).not.toMatch(/node:|from"/)
    expect(text.length).toBeWithin(500, 4000)
  })
})

const it = suite(Server.layerWithWorkers)

describe.skipIf(node === null)("a program with this package only", () => {
  it("subscribes, starts a crawl, reads its result and receives its event, in Node.js and in Bun", function* () {
    const { base } = yield* Server.TestServer
    for (const runtime of [node ?? "", process.execPath]) {
      const { key } = yield* Server.customer()
      const { code, text } = yield* Effect.promise(() => started([runtime, "program.js", base, key], place))
      expect({ code, text: code === 0 ? JSON.parse(text) : text }).toEqual({
        code: 0,
        text: { answers: [201, 201, 202], hosts: 1, isSeen: true, pages: 1, refused: "url" }
      })
    }
  })
})
