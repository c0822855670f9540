import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { bundle, children } from "./package/bundle.ts"

const root = resolve(import.meta.dir, "..")
const source = join(root, "src")
const kept = join(root, "node_modules/.cache/findable-programs")

/** Programs of an earlier state are removed when nothing can run them any more. */
const hour = 3_600_000

/** What the programs are made of, in short: they are made anew when any of it has changed. */
const state = Bun.hash(
  [Bun.version, join(root, "bun.lock"), join(import.meta.dir, "package/bundle.ts")]
    .concat(readdirSync(source, { encoding: "utf8", recursive: true }).toSorted())
    .map((name) => {
      const { mtimeMs = 0, size = 0 } = statSync(resolve(source, name), { throwIfNoEntry: false }) ?? {}
      return `${name} ${mtimeMs} ${size}`
    })
    .join("\n")
).toString(36)

const folder = join(kept, state)

/**
 * The command and the node, each in one file with its bytecode, as the package has its command: a process starts in a third of the time. They are made
 * once for all test processes. They find the programs that they start in this folder, and all else where the sources are.
 */
export const program = (name: "cli" | "main") => join(folder, `${name}.js`)

if (!existsSync(folder)) {
  mkdirSync(kept, { recursive: true })
  for (const name of readdirSync(kept)) {
    const path = join(kept, name)
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs < Date.now() - hour) rmSync(path, { force: true, recursive: true })
  }
  const made = mkdtempSync(join(kept, "making-"))
  const parents = children.map((child) => dirname(dirname(child)))
  const address = (name: string) =>
    JSON.stringify(Bun.pathToFileURL(join(parents.includes(dirname(name)) ? folder : source, name)).href)
  for (const name of ["cli.ts", "main.ts"]) await bundle({ address, folder: source, outdir: made, program: name })
  for (const child of children) {
    const program = `${child}.ts`
    await bundle({ address, folder: source, naming: basename(program), outdir: join(made, dirname(child)), program })
  }
  // Where another process was first, its programs are as good.
  try {
    renameSync(made, folder)
  } catch {
    rmSync(made, { force: true, recursive: true })
  }
}
