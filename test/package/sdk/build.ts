import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { contract } from "./contract.ts"

interface Entry {
  /** The module; `~` is the folder of the sources. */
  readonly code: string
  readonly types: string
}

const index = (routes: unknown): Entry => ({
  code: `import { make } from "~/app/sdk/Client.ts"
export { ApiError, isApiError, UnexpectedAnswer } from "~/app/sdk/Client.ts"
export { records } from "~/app/sdk/Client.ts"
const routes = ${JSON.stringify(routes)}
export const createClient = (options) => make(routes, options)
`,
  types: `import type { Options } from "./Client.js"
import type { Client } from "./contract.js"
export { ApiError, type FieldProblem, isApiError, UnexpectedAnswer } from "./Client.js"
export { type Common, type Metadata, type Operation, type Options, records } from "./Client.js"
export type * from "./contract.js"
/** A client of the contract: \`createClient({ baseUrl: "http://127.0.0.1:8787", key: "fnd_live_…" })\`. */
export declare const createClient: (options: Options) => Client
`
})

const webhooks: Entry = {
  code: `export { receive } from "~/app/sdk/Receive.ts"
export { defaultTolerance, sign, verify } from "~/features/webhooks/signature/Signature.ts"
`,
  types: `import type { WebhookEvent } from "./contract.js"
import type { Received, ReceiveOptions } from "./Receive.js"
export type { Received, ReceiveOptions } from "./Receive.js"
export { type Body, defaultTolerance, type Refusal, sign, type SignOptions, type Verdict, verify, type VerifyOptions } from "./Signature.js"
export type * from "./contract.js"
/** Reads a delivery and checks its signature: \`await receive(request, { secret })\`. */
export declare const receive: (request: Request, options: ReceiveOptions) => Promise<Received<WebhookEvent>>
`
}

const manifest = ({ engines, license, version }: { engines: unknown; license: unknown; version: unknown }) => {
  const conditions = (name: string) => ({
    import: { types: `./esm/${name}.d.ts`, default: `./esm/${name}.js` },
    require: { types: `./cjs/${name}.d.ts`, default: `./cjs/${name}.js` }
  })
  return {
    name: "@findable/sdk",
    version,
    description: "A receiver of Findable's webhooks, the types of its contract, and a typed client.",
    license,
    type: "module",
    sideEffects: false,
    engines,
    exports: { ".": conditions("index"), "./webhooks": conditions("webhooks") },
    files: ["cjs", "esm"]
  }
}

/** Declarations of the sources, all in one folder. */
const declarationsOf = (root: string, into: string) => {
  const sources = ["Client", "Receive"].map((name) => join(root, `src/app/sdk/${name}.ts`))
  const flags =
    "--ignoreConfig --singleThreaded --declaration --emitDeclarationOnly --allowImportingTsExtensions --rewriteRelativeImportExtensions --strict --module preserve --target esnext --lib esnext,dom --types"
  const { exitCode, stdout } = Bun.spawnSync(
    [process.execPath, join(root, "node_modules/.bin/tsc"), ...flags.split(" "), "", "--outDir", into, ...sources],
    { cwd: root }
  )
  if (exitCode !== 0) throw new Error(`${stdout}`)
  return readdirSync(into, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => ({
      name: basename(name),
      text: readFileSync(join(into, name), "utf8").replace(/"[./]+\/(?:\w+\/)*(\w+)\.[jt]s"/g, '"./$1.js"')
    }))
}

/** Makes a package of its own, without dependencies, in a folder: for `import` and for `require`. */
export const buildSdk = async (root: string, folder: string) => {
  const { declarations, routes } = contract()
  const work = mkdtempSync(join(tmpdir(), "findable-sdk-"))
  const modules = Object.entries({ index: index(routes), webhooks })
  const types = [
    ...declarationsOf(root, join(work, "types")),
    ...modules.map(([name, { types }]) => ({ name: `${name}.d.ts`, text: types })),
    { name: "contract.d.ts", text: declarations }
  ]
  for (const [name, { code }] of modules)
    writeFileSync(join(work, `${name}.js`), code.replaceAll("~/", `${join(root, "src")}/`))
  for (const format of ["esm", "cjs"] as const) {
    const outdir = join(folder, format)
    mkdirSync(outdir, { recursive: true })
    const entrypoints = modules.map(([name]) => join(work, `${name}.js`))
    await Bun.build({ entrypoints, format, outdir, target: format === "esm" ? "browser" : "node" })
    for (const { name, text } of types) writeFileSync(join(outdir, name), text)
  }
  rmSync(work, { force: true, recursive: true })
  writeFileSync(join(folder, "cjs/package.json"), '{"type":"commonjs"}\n')
  const whole = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(whole), null, 2)}\n`)
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  cpSync(join(root, "src/app/sdk/README.md"), join(folder, "README.md"))
}
