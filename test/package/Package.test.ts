import { describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dir, "../..")
const node = Bun.which("node")

const run = (words: ReadonlyArray<string>, cwd: string) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...words], {
    cwd,
    env: { ...process.env, NO_COLOR: "1" },
    stderr: "pipe",
    stdout: "pipe"
  })
  return { code: exitCode, text: `${stdout}${stderr}` }
}

/** A folder of somebody else with the packed package, and beside it what it depends on. */
const consumer = () => {
  const place = mkdtempSync(join(tmpdir(), "findable-package-"))
  const packed = run([process.execPath, "pm", "pack", "--destination", place], root)
  expect(packed).toMatchObject({ code: 0 })
  const tarball = readdirSync(place).find((name) => name.endsWith(".tgz")) ?? "none"
  const modules = join(place, "node_modules")
  mkdirSync(join(modules, "findable"), { recursive: true })
  expect(
    run(["tar", "-xzf", join(place, tarball), "--strip-components", "1", "-C", join(modules, "findable")], place)
  ).toMatchObject({ code: 0 })
  for (const name of readdirSync(join(root, "node_modules")))
    symlinkSync(join(root, "node_modules", name), join(modules, name))
  writeFileSync(join(place, "package.json"), '{"type":"module"}')
  return { modules, place, tarball }
}

const program = `
import { Api } from "findable/api"
import { crawl } from "findable/crawl"
import { analyse, ArmMetrics } from "findable/statistics"
import { sign, verify } from "findable/webhooks"
import * as HttpApi from "@effect/platform/HttpApi"
import * as Schema from "effect/Schema"

const metrics = { preImpressions: 1000, postImpressions: 1000, preConversions: 10, postConversions: 10 }
const counts = Schema.decodeSync(ArmMetrics)
const analysis = analyse(counts(metrics), counts({ ...metrics, postConversions: 40 }))
const endpoints: Array<string> = []
HttpApi.reflect(Api, { onGroup: () => {}, onEndpoint: ({ endpoint }) => { endpoints.push(endpoint.path) } })
console.log(JSON.stringify({ crawl: typeof crawl, endpoints: endpoints.length > 20, significant: analysis.isSignificant, sign: typeof sign, verify: typeof verify }))
`

const answer = { crawl: "function", endpoints: true, sign: "function", significant: true, verify: "function" }

describe.skipIf(node === null)("the package, packed and put into somebody's folder", () => {
  test(
    "is imported by Node and Bun, is typed for a strict consumer, and brings its command",
    () => {
      const { modules, place, tarball } = consumer()
      try {
        const listed = run(["tar", "-tzf", tarball], place).text.split("\n")
        expect(listed.filter((name) => /^package\/(src|test|node_modules)\//.test(name))).toEqual([])
        expect(listed).toContain("package/sql/0001_accounts.sql")

        writeFileSync(join(place, "program.ts"), program)
        const code = new Bun.Transpiler({ loader: "ts" }).transformSync(program)
        writeFileSync(join(place, "program.js"), code)
        const inNode = run([node ?? "", "program.js"], place)
        expect(inNode.code === 0 ? JSON.parse(inNode.text) : inNode).toEqual(answer)
        const inBun = run([process.execPath, "program.js"], place)
        expect(inBun.code === 0 ? JSON.parse(inBun.text) : inBun).toEqual(answer)

        const options = {
          compilerOptions: {
            lib: ["ESNext", "DOM"],
            module: "NodeNext",
            noEmit: true,
            skipLibCheck: true,
            strict: true,
            target: "ES2022",
            types: []
          },
          files: ["program.ts"]
        }
        writeFileSync(join(place, "tsconfig.json"), JSON.stringify(options))
        expect(run([process.execPath, join(modules, ".bin/tsc"), "-p", "."], place)).toEqual({ code: 0, text: "" })

        const command = run([node ?? "", join(modules, "findable/dist/bin.js"), "--version"], place)
        expect({ ...command, text: command.text.trim() }).toEqual({ code: 0, text: "0.1.0" })
      } finally {
        rmSync(place, { force: true, recursive: true })
      }
    },
    { timeout: 240_000 }
  )
})
