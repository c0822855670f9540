import { expect } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import { Api } from "../../../src/Api.ts"
import * as Examples from "../../../src/foundation/openapi/Examples.ts"
import { folder } from "../../folder.ts"
import { it } from "../../harness.ts"
import { strict } from "./strict.ts"

const root = resolve(import.meta.dir, "../../..")
const peers = join(root, "test/peers")
const cache = join(root, "node_modules/.cache/findable-peers")

const quiet = { NO_COLOR: "1", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" }

/** Runs a program on the folder of the document: whether it succeeded, and its output. */
const run = async (cwd: string, ...words: ReadonlyArray<string>) => {
  const child = Bun.spawn([...words], { cwd, env: { ...process.env, ...quiet }, stderr: "pipe", stdout: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { isWell: (await child.exited) === 0, text: out + err }
}

/** Runs a peer program with this runtime. */
const peer = (cwd: string, program: string, ...words: ReadonlyArray<string>) =>
  run(cwd, process.execPath, join(peers, "node_modules", program), ...words)

/** The document that a server returns, without a server. */
const document = Effect.map(Examples.of(Api.groups), (examples) =>
  JSON.stringify(Examples.withExamples(OpenApi.fromApi(Api, { additionalPropertiesStrategy: "allow" }), examples))
)

/** A result depends only on the document and the programs, so it is kept while both are unchanged. */
const oncePerDocument = (name: string, verdict: (folder: string) => Promise<void>) =>
  Effect.gen(function* () {
    const text = yield* document
    const programs = [join(peers, "bun.lock"), import.meta.path].map((path) => readFileSync(path, "utf8"))
    const kept = join(cache, `${name}-${Bun.hash([...programs, text].join("\n")).toString(36)}`)
    if (existsSync(kept)) return
    const own = yield* folder
    writeFileSync(join(own, "openapi.json"), text)
    yield* Effect.promise(() => verdict(own))
    mkdirSync(cache, { recursive: true })
    writeFileSync(kept, "")
  })

const patience = 300_000

it(
  "Spectral reports nothing about the document, not even a hint",
  () =>
    oncePerDocument("spectral", async (folder) => {
      writeFileSync(join(folder, ".spectral.yaml"), 'extends: ["spectral:oas"]\n')
      const program = "@stoplight/spectral-cli/dist/index.js"
      const { isWell, text } = await peer(
        folder,
        program,
        ...["lint", "openapi.json", "--ruleset", ".spectral.yaml", "--fail-severity", "hint"]
      )
      expect(isWell ? "" : text).toBe("")
    }),
  patience
)

it(
  "Redocly reports nothing about the document, not even a warning",
  () =>
    oncePerDocument("redocly", async (folder) => {
      writeFileSync(join(folder, "redocly.yaml"), "extends:\n  - recommended\n")
      const { isWell, text } = await peer(
        folder,
        "@redocly/cli/bin/cli.js",
        ...["lint", "openapi.json", "--config", "redocly.yaml", "--format", "json"]
      )
      const [, errors, warnings] = /"errors": (\d+),\s*"warnings": (\d+)/.exec(text) ?? []
      expect(isWell && errors === "0" && warnings === "0" ? "" : text).toBe("")
    }),
  patience
)

it(
  "the client that orval generates compiles in strict mode",
  () =>
    oncePerDocument("orval", async (folder) => {
      const generated = await peer(
        folder,
        "orval/dist/bin/orval.js",
        ...["--input", "openapi.json", "--output", "orval.ts", "--client", "fetch"]
      )
      expect(generated.isWell ? "" : generated.text).toBe("")
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...strict, files: ["orval.ts"] }))
      const found = await run(root, process.execPath, "x", "--bun", "effect-tsgo", "get-exe-path")
      const compiled = await run(folder, found.text.trim(), "-p", "tsconfig.json", "--singleThreaded")
      expect(compiled.isWell ? "" : compiled.text).toBe("")
    }),
  patience
)
