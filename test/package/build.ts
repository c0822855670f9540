import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { bundle as bundleConsole } from "../../src/app/console/Bundle.ts"
import { folder } from "../../src/app/console/Console.ts"
import { budget, sentBytes } from "../app/console/budget.ts"
import { bundle, children } from "./bundle.ts"
import { buildSdk } from "./sdk/build.ts"

// `bun run build` compiles the sources into `dist`: JavaScript of everything, declarations of the package's exports, one file for the command and for each
// program that it starts, script and style of the console, and, in `dist/sdk`, the package for clients and endpoints.

const root = resolve(import.meta.dir, "../..")
const dist = join(root, "dist")

const run = (...words: ReadonlyArray<string>) => {
  const { exitCode } = Bun.spawnSync([...words], { cwd: root, stderr: "inherit", stdout: "inherit" })
  if (exitCode !== 0) process.exit(exitCode)
}

rmSync(dist, { force: true, recursive: true })
const compiler = Bun.spawnSync([process.execPath, "x", "--bun", "effect-tsgo", "get-exe-path"], { cwd: root })
  .stdout.toString()
  .trim()
// One thread: several infer the same types again, which costs four times the CPU and, on two cores, more time.
run(compiler, "-p", "src/tsconfig.build.json", "--singleThreaded")

const transpiler = new Bun.Transpiler({ loader: "ts", target: "node" })
for (const name of readdirSync(join(root, "src"), { encoding: "utf8", recursive: true })) {
  if (!name.endsWith(".ts") || name.startsWith("app/console/browser/")) continue
  const target = join(dist, name.replace(/\.ts$/, ".js"))
  const source = readFileSync(join(root, "src", name), "utf8")
  if (!(await Bun.file(target).exists())) await Bun.write(target, transpiler.transformSync(source))
}
// Declarations name a type by its shortest path. If that were the main entry, users of the contract would have to read a server's types.
const declaredIn = new Map(
  Array.from(
    readFileSync(join(dist, "index.d.ts"), "utf8").matchAll(/^export \{ (\w+) \} from "\.\/([^"]+)\.[jt]s"/gm),
    ([, name = "", file = ""]) => [name, file]
  )
)
for (const name of readdirSync(dist, { encoding: "utf8", recursive: true })) {
  if (!/\.(js|d\.ts)$/.test(name)) continue
  const path = join(dist, name)
  // Imports of files, and the names by which child processes find their programs.
  writeFileSync(
    path,
    readFileSync(path, "utf8")
      .replace(/((?:from|import)\s*\(?\s*"\.{1,2}\/[^"]*)\.ts"/g, '$1.js"')
      .replace(/"(child\/main|cli)\.ts"/, '"$1.js"')
      .replace(/(import\("[./]+)index(\.js"\)\.(\w+))/g, (whole, to: string, rest: string, type: string) => {
        const file = declaredIn.get(type)
        return file === undefined ? whole : `${to}${file}${rest}`
      })
  )
}
const assets = await Effect.runPromise(bundleConsole)
const { all, first } = await sentBytes(assets)
if (all > budget.all || first > budget.first) {
  console.error(
    `The console is ${all} bytes as sent, ${first} for its first screen; its budget is ${budget.all} and ${budget.first}`
  )
  process.exit(1)
}
for (const [name, text] of Object.entries(assets)) await Bun.write(join(dist, "app/console", folder, name), text)
// The server shows the examples of the contract; guides are in the package anyway.
for (const name of readdirSync(join(root, "src"), { encoding: "utf8", recursive: true })) {
  if (name.endsWith(".json") && name.startsWith("foundation/openapi/examples/"))
    await Bun.write(join(dist, name), Bun.file(join(root, "src", name)))
}
for (const program of ["cli", ...children]) {
  const top = "../".repeat(program.split("/").length - 1)
  await bundle({
    address: (name) => `new URL(${JSON.stringify(`${top}${name}`)}, Bun.pathToFileURL(Bun.main)).href`,
    folder: dist,
    outdir: join(dist, dirname(program)),
    program: `${program}.js`
  })
}
await buildSdk(root, join(dist, "sdk"))
const command = join(dist, "bin.js")
writeFileSync(command, `#!/usr/bin/env node\n${readFileSync(command, "utf8")}`)
chmodSync(command, 0o755)
