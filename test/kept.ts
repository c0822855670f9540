import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync
} from "node:fs"
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

/** Whether this process fills the folder: the first that links the claim to its number does. */
const isClaimed = (claim: string): boolean => {
  try {
    symlinkSync(`${process.pid}`, claim)
    return true
  } catch {
    return false
  }
}

/** Whether the process that claimed the folder still lives. */
const isFilling = (claim: string): boolean => {
  try {
    process.kill(Number(readlinkSync(claim)), 0)
    return true
  } catch {
    return false
  }
}

/** A folder that one of all test processes fills until the sources change; the others wait for it, because to fill it takes much CPU. */
export const kept = async (name: string, fill: (folder: string) => Promise<unknown>): Promise<string> => {
  const place = join(folder, `${name}-${state}`)
  if (existsSync(place)) return place
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (mtimeMs < Date.now() - hour && !name.endsWith(state)) rmSync(path, { force: true, recursive: true })
  }
  const claim = `${place}.claim`
  while (!isClaimed(claim)) {
    if (!isFilling(claim)) rmSync(claim, { force: true })
    await Bun.sleep(50)
  }
  try {
    if (existsSync(place)) return place
    const made = mkdtempSync(join(folder, "making-"))
    await fill(made)
    renameSync(made, place)
    return place
  } finally {
    rmSync(claim, { force: true })
  }
}

/** The URL of a file in a folder, as an expression. */
export const addressIn = (folder: string) => (name: string) =>
  JSON.stringify(Bun.pathToFileURL(join(folder, name)).href)
