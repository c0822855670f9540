import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dir, "..")
export const source = join(root, "src")
const folder = join(root, "node_modules/.cache/findable-programs")

/** Programs of an earlier state are removed when nothing can run them any more. */
const hour = 3_600_000

/** The inputs of programs and of the package. */
const parts = "LICENSE README.md bun.lock package.json sql src test/package".split(" ")

/** A hash of the inputs: programs are made again when any input has changed. */
const state = Bun.hash(
  parts
    .flatMap((part) => {
      const path = join(root, part)
      if (!statSync(path).isDirectory()) return [path]
      return readdirSync(path, { encoding: "utf8", recursive: true })
        .toSorted()
        .map((name) => join(path, name))
    })
    .map((path) => {
      const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {}
      return `${path} ${mtimeMs} ${size}`
    })
    .concat(Bun.version)
    .join("\n")
).toString(36)

/** A folder that is filled once for all test processes, until the sources change. */
export const kept = async (name: string, fill: (folder: string) => Promise<unknown>): Promise<string> => {
  const place = join(folder, `${name}-${state}`)
  if (existsSync(place)) return place
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs < Date.now() - hour && !name.endsWith(state)) rmSync(path, { force: true, recursive: true })
  }
  const made = mkdtempSync(join(folder, "making-"))
  await fill(made)
  // If another process was first, its result is used.
  try {
    renameSync(made, place)
  } catch {
    rmSync(made, { force: true, recursive: true })
  }
  return place
}

/** The URL of a file in a folder, as an expression. */
export const addressIn = (folder: string) => (name: string) =>
  JSON.stringify(Bun.pathToFileURL(join(folder, name)).href)
